"""A report that is there after the first model and grows with each."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import xarray as xr
from threadpoolctl import threadpool_limits

from ...models.bnn import BNN
from ..baselines.baseline import Baseline, fit_baselines
from ..comparison.comparison import Comparison, put_together
from ..comparison.model_results import ModelResult, evaluate
from ..comparison.options import options_of
from ..comparison.request import Request
from ..fits.manifest import remove_partial, written_whole
from ..model_evidence.measured import Measured
from ..model_evidence.measuring import label
from ..structure.choosing import Structure
from ..structure.likelihoods import ChosenLikelihood
from ..tables.table import Prepared
from .predictions import prediction_table


class RunningReport:
    """The report, which is there after the first model and grows with each.

    Parameters
    ----------
    request : Request
        What the user asked for.
    prepared : Prepared
        The table.
    variants : sequence of str
        All models that are to come.
    measured : mapping of str to Measured, optional
        Evidence of an earlier run.
    structure : Structure, optional
        How the hidden layers were chosen.
    likelihood : ChosenLikelihood, optional
        How the likelihood was.
    """

    def __init__(
        self,
        request: Request,
        prepared: Prepared,
        variants: Sequence[str],
        measured: Mapping[str, Measured] | None = None,
        structure: Structure | None = None,
        likelihood: ChosenLikelihood | None = None,
    ):
        self.request, self.prepared, self.variants = request, prepared, variants
        self.structure, self.likelihood = structure, likelihood
        self.path, self.numbers = request.out / "report.html", request.out / "comparison.csv"
        self.predictions = request.out / "predictions.csv"
        self.dependence = request.out / "partial_dependence.csv"
        self.results: dict[str, ModelResult] = {}
        self.measured = dict(measured or {})
        self.drawn: dict[str, Any] = {}
        self.baselines: dict[str, Baseline] | None = None
        self.timing: str | None = None  # how long it took, known at the end
        self.remove_partial()

    def remove_partial(self) -> None:
        """Remove what a process that was ended had not written as a whole."""
        for written in (self.path, self.numbers, self.predictions, self.dependence):
            remove_partial(self.request.out, f"{written.name}.*")

    def at_work(self, models: Mapping[str, BNN]) -> AbstractContextManager[None]:
        """Be ready to evaluate some models; here that happens where it is asked for."""
        return nullcontext()

    # The last bits of a product may depend on the number of threads, which is that of the machine;
    # and for the many small products of an evaluation one is faster than two.
    @threadpool_limits.wrap(limits=1)
    def add(self, name: str, model: BNN, idata: xr.DataTree, more: bool = True) -> None:
        """Evaluate a model, and write the report of those so far, if there are more to come."""
        self.results[name] = evaluate(
            name,
            model,
            idata,
            (self.prepared.X_test, self.prepared.y_test),
            moment_match=self.request.moment_match,
            refit=self.request.refit,
            seed=self.request.seed,
        )
        self.results[name].measured = self.measured.get(name)
        self.fit_baselines(model)
        if more:
            self._write_so_far()

    def fit_baselines(self, model: BNN) -> None:
        """Fit simpler models to the cases, which are those of any of the networks."""
        if self.baselines is None:
            test = (self.prepared.X_test, self.prepared.y_test)
            self.baselines = fit_baselines(model, test, self.request.seed)

    def add_evidence(self, name: str, measured: Measured) -> None:
        """Take in the evidence of a model, and write the report of those so far."""
        self.measured[name] = measured
        self.results[name].measured = measured
        self._write_so_far()

    def _write_so_far(self) -> None:
        left = [other for other in self.variants if other not in self.results]
        if self.request.evidence:
            left += [label(other) for other in self.variants if other not in self.measured]
        if left:  # else it is concluded with all notes
            again = "run the same command again to go on"
            self.write((f"Not finished: {', '.join(left)} still to come; {again}.",))

    def comparison(self, notes: tuple[str, ...]) -> Comparison:
        """Put together what there is to report."""
        return replace(
            put_together(self.results, self.baselines),
            notes=notes,
            reproduce=self.request.command(),
            structure=self.structure,
            likelihood=self.likelihood,
            timing=self.timing,
            options=options_of(self.request, self.results.values()),
        )

    @threadpool_limits.wrap(limits=1)
    def write(self, notes: tuple[str, ...]) -> Comparison:
        """Write the report and its table."""
        comparison = self.comparison(notes)
        with written_whole(self.numbers) as partial:
            comparison.to_csv(partial)
        with written_whole(self.predictions) as partial:
            rows = self.prepared.X_test.index
            table = prediction_table(comparison.results, self.prepared.encoding, rows)
            table.to_csv(partial, index=False)
        self._write_dependence(comparison)
        comparison.to_html(self.path, self.drawn)
        return comparison

    def _write_dependence(self, comparison: Comparison) -> None:
        """Write partial dependence, of which an earlier run may have left that of other draws."""
        explained = comparison.explained
        if explained is None:
            self.dependence.unlink(missing_ok=True)
            return
        table = explained.dependence.to_frame()
        table.insert(0, "model", explained.name)
        with written_whole(self.dependence) as partial:
            table.to_csv(partial, index=False)
