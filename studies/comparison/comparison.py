"""Compare fitted networks: which one predicts best, by how much, and whether to believe it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ...models import load
from ...models.bnn import BNN
from ..errors import InputError
from ..fits.fit_store import TABLE_ATTRIBUTE
from ..model_evidence.conclusions import state_probable
from ..model_evidence.measuring import label, measure, settings_of_draws
from ..tables.encoding import Encoding
from .comparison_table import rank, tabulate
from .model_results import ModelResult, evaluate
from .verdict import Verdict, state_verdict

__all__ = ["Comparison", "ModelResult", "compare", "put_together"]


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
    """

    table: pd.DataFrame
    results: dict[str, ModelResult]
    ranking: pd.DataFrame
    encoding: Encoding | None = None
    notes: tuple[str, ...] = ()
    reproduce: str | None = None
    cases: dict[str, int] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """What cannot be judged, and then which model predicts best and by how much."""
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
        measured = {r.name: r.measured for r in self.results.values() if r.measured is not None}
        return str(state_probable(measured, self._judgement)) if measured else None

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
        """
        from ..reports.report import write_report  # plots take a while to import

        return write_report(self, Path(path), drawn)


def compare(
    fits: Mapping[str, xr.DataTree],
    test: tuple[Any, Any] | None = None,
    *,
    moment_match: bool = False,
    refit: bool = False,
    evidence: bool = False,
    seed: int = 0,
    report: str | Path | None = None,
) -> Comparison:
    """Compare networks that were fitted to the same cases.

    Parameters
    ----------
    fits : mapping of str to DataTree
        Draws of each model, from :func:`pymc_bnn.samplers.sample` or ``pm.sample``.
    test : (X, y), optional
        Held-out cases, in the scale of the models.
    moment_match : bool
        Whether to repair PSIS-LOO by moment matching where Pareto k is too large.
    refit : bool
        Whether to refit the model without each case that is still bad then.
    evidence : bool
        Whether to measure the log evidence by :func:`pymc_bnn.samplers.evidence`, with as many
        chains and draws as a fit and half as much warm-up; this takes some twenty times as long.
    seed : int
        For simulated targets, refits and evidence.
    report : str or Path, optional
        HTML file that is written after every model, so that a run that ends early leaves one.

    Returns
    -------
    Comparison
        Its table has, for each model: ``rank``; PSIS-LOO as ``elpd_loo``, ``se``, ``elpd_diff``,
        ``dse``, its Monte Carlo error ``elpd_mcse``, ``p_loo`` and stacking ``weight``;
        ``elpd_waic``, ``se_waic`` and ``p_waic``; ``bad_k`` and the ``advice`` that follows; scores
        of held-out cases in the unit of the user's table (see
        :func:`.evaluation.summarize_scores`); ``max_rhat``, ``min_ess`` and ``min_ess_tail`` of
        what a network identifies, ``divergences``, ``converged``, its ``grade`` in words, the
        ``answer`` to what it can be used for, ``problems``; ``seconds``, ``gradient_evaluations``
        and ``ess_per_second``. If stochastic gradients made a fit, also ``biased``,
        ``energy_bias`` and ``energy_bias_mcse`` against a short exact run. With ``evidence`` also
        ``log_evidence`` and ``log_evidence_se``, the ``probability`` among models that are equally
        probable before (Baldock & Marzari 2019, Eqs. 12-14) from ``probability_low`` to
        ``probability_high``, and ``evidence_obstacle``, why it cannot be judged
        (see :mod:`.model_evidence.conclusions`).

    Raises
    ------
    InputError
        If there is nothing to compare, the fits are of other cases, or evidence is no truth value.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers, studies
    >>> X = np.linspace(-1, 1, 30)[:, None]
    >>> y = X[:, 0] + 0.1 * np.cos(9 * X[:, 0])
    >>> fits = {
    ...     name: samplers.sample(models.VARIANTS[name](X, y, hidden=()), draws=50, tune=50,
    ...                           chains=2, cores=1, seed=1, progressbar=False, quiet=True)
    ...     for name in ("gaussian", "scaled")
    ... }
    >>> sorted(studies.compare(fits).table.index)
    ['gaussian', 'scaled']
    """
    if not fits:
        raise InputError("there is no fit to compare.")
    if not isinstance(evidence, bool):
        raise InputError(f"evidence={evidence!r}: give True or False.")
    networks = {name: load(idata) for name, idata in fits.items()}
    _check_same_cases(networks)
    results: dict[str, ModelResult] = {}
    drawn: dict[str, Any] = {}
    for name, model in networks.items():
        results[name] = evaluate(
            name, model, fits[name], test, moment_match=moment_match, refit=refit, seed=seed
        )
        left = [other for other in networks if other not in results]
        left += map(label, networks if evidence else ())
        _report_so_far(results, left, report, drawn)
    for name in networks if evidence else ():
        settings = settings_of_draws(fits[name]["posterior"].sizes, seed)
        results[name].measured = found = measure(name, networks[name], settings)
        left = [label(other) for other, result in results.items() if result.measured is None]
        _report_so_far(results, left, report, drawn)
        if found.interrupted:
            break
    return put_together(results)


def _report_so_far(
    results: Mapping[str, ModelResult],
    left: Sequence[str],
    report: str | Path | None,
    drawn: dict[str, Any],
) -> None:
    if report is not None:
        notes = (f"Not yet compared: {', '.join(left)}.",) if left else ()
        replace(put_together(results), notes=notes).to_html(report, drawn)


def put_together(results: Mapping[str, ModelResult]) -> Comparison:
    """Rank models that have been evaluated.

    Parameters
    ----------
    results : mapping of str to ModelResult
        The models, of the same cases.

    Returns
    -------
    Comparison
    """
    encoding = _encoding(results)
    ranking = rank(results)
    table = tabulate(results, ranking, 1.0 if encoding is None else encoding.sd)
    first = next(iter(results.values()))
    cases = {"training": len(first.model["X"].get_value(borrow=True))}
    if first.scores is not None:
        cases["test"] = first.scores.sizes["obs"]
    ordered = {name: results[name] for name in table.index}
    return Comparison(table, ordered, ranking, encoding, cases=cases)


def _check_same_cases(networks: Mapping[str, BNN]) -> None:
    first, *others = networks
    y = networks[first]["y"].get_value(borrow=True)
    for name in others:
        other = networks[name]["y"].get_value(borrow=True)
        if y.shape != other.shape or not np.array_equal(y, other):
            raise InputError(
                f"fits {first!r} and {name!r} are of different targets; compare like with like."
            )


def _encoding(results: Mapping[str, ModelResult]) -> Encoding | None:
    attributes = [result.idata.attrs for result in results.values()]
    described = [found[TABLE_ATTRIBUTE] for found in attributes if TABLE_ATTRIBUTE in found]
    return Encoding.from_dict(json.loads(described[0])["encoding"]) if described else None
