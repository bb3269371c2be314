"""What a comparison found."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..baselines.baseline import Baseline, has_simpler_models
from ..baselines.worth import baseline_table, state_worth
from ..errors import InputError
from ..model_evidence.conclusions import state_probable
from ..structure.choosing import Structure
from ..structure.likelihoods import ChosenLikelihood
from ..tables.encoding import Encoding
from .model_results import ModelResult
from .verdict import Verdict, state_verdict

NO_NETWORK = "Whether a network is worth it is open, as the draws of none can be used."
NOT_HELD_OUT = (
    "Whether a network is worth it was not asked, as no cases were held out: give some, to "
    "studies.compare as test=(X, y) and to report_ of an estimator as X and y."
)
NOT_SIMPLER = (
    "Whether a network is worth it was not asked, as there are no simpler models here of counts "
    "whose variance may exceed their mean; it is asked of networks with likelihood='poisson', or "
    "--likelihood poisson."
)


@dataclass
class Comparison:
    """Result of :func:`compare`.

    Parameters
    ----------
    table : DataFrame
        One row per model, best first; see :func:`compare`.
    results : dict of str to ModelResult
        Everything about each model, in the same order.
    ranking : DataFrame
        What ``az.compare`` returned, for plots.
    encoding : Encoding or None
        How the user's table was encoded, if the fits came from one.
    notes : tuple of str
        Remarks for the report, such as an interruption.
    reproduce : str or None
        The command that does it all again.
    cases : dict of str to int
        Number of training and, if there are any, test cases.
    baselines : dict of str to Baseline
        Simpler models on the same cases, if there are test cases.
    structure : Structure or None
        How the hidden layers were chosen, if they were.
    likelihood : ChosenLikelihood or None
        How the likelihood was chosen, if it was.
    timing : str or None
        How long sampling took, beside what was estimated.
    options : tuple of str
        Options of the command line that go with what is wrong with draws, if it was used.
    """

    table: pd.DataFrame
    results: dict[str, ModelResult]
    ranking: pd.DataFrame
    encoding: Encoding | None = None
    notes: tuple[str, ...] = ()
    reproduce: str | None = None
    cases: dict[str, int] = field(default_factory=dict)
    baselines: dict[str, Baseline] = field(default_factory=dict)
    structure: Structure | None = None
    likelihood: ChosenLikelihood | None = None
    timing: str | None = None
    options: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """Which model predicts best and by how much, and then what cannot be judged."""
        return str(self._judgement)

    @property
    def best(self) -> str | None:
        """The model that clearly predicts best, if there is one."""
        return self._judgement.best

    @property
    def _judgement(self) -> Verdict:
        return state_verdict([result.standing for result in self.results.values()])

    @property
    def evidence_verdict(self) -> str | None:
        """Which model is more probable by its evidence, if that was measured."""
        return None if self._probable is None else str(self._probable)

    @property
    def _probable(self) -> Verdict | None:
        measured = {r.name: r.measured for r in self.results.values() if r.measured is not None}
        return state_probable(measured, self._judgement) if measured else None

    @property
    def baseline_table(self) -> pd.DataFrame:
        """Held-out scores of simpler models, one row each, in the unit of the user's table."""
        return baseline_table(self.baselines, 1.0 if self.encoding is None else self.encoding.sd)

    @property
    def baseline_verdict(self) -> str | None:
        """Whether a network is worth it, or why that was not asked.

        None where simpler models were not fitted although they could be, as none was wanted, or
        none can be fitted to these cases, of which there are warnings.
        """
        if not self.baselines:
            return self._why_not_asked
        for result in self.results.values():
            if result.answer != "not yet" and result.scores is not None:
                if not has_simpler_models(result.model.likelihood):
                    return NOT_SIMPLER
                scores = result.scores["log_score"].values
                return state_worth(result.name, scores, self.baselines, result.held_out_mcse)
        return NO_NETWORK

    @property
    def _why_not_asked(self) -> str | None:
        # first what held-out cases would not help
        if not all(has_simpler_models(r.model.likelihood) for r in self.results.values()):
            return NOT_SIMPLER
        return NOT_HELD_OUT if "test" not in self.cases else None

    @property
    def explained(self) -> ModelResult | None:
        """The model whose inputs are looked at: the best, or the first that can be used.

        None where the draws of no model can be used.
        """
        usable = [
            result
            for result in self.results.values()
            if result.answer != "not yet" and np.isfinite(result.loo.elpd)
        ]
        return min(usable, key=lambda r: r.standing.obstacle is not None, default=None)

    @property
    def findings(self) -> tuple[tuple[str, ...], ...]:
        """Lists of sentences: verdicts by scores, by evidence, against simpler models; options."""
        evidence = () if self._probable is None else self._probable.sentences
        simpler = () if self.baseline_verdict is None else (self.baseline_verdict,)
        every = self._judgement.sentences, evidence, simpler, self.options
        return tuple(said for said in every if said)

    def to_csv(self, path: str | Path) -> Path:
        """Write the table.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
        """
        self.table.to_csv(path)
        return Path(path)

    def to_html(self, path: str | Path, drawn: dict[str, Any] | None = None) -> Path:
        """Write the report: one page that needs no network.

        Parameters
        ----------
        path : str or Path
            The file.
        drawn : dict, optional
            Plots of models that earlier reports drew, which are not drawn again; new ones are
            added.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If there is no such folder.
        """
        if not Path(path).parent.is_dir():
            raise InputError(f"path={str(path)!r}: there is no folder {Path(path).parent}.")
        from ..reports.report import write_report  # plots take a while to import

        return write_report(self, Path(path), drawn)
