"""Compare fitted networks: which one predicts best, by how much, and whether to believe it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from ...models import load
from ...models.bnn import BNN
from ..baselines.baseline import Baseline, fit_baselines, has_simpler_models
from ..errors import InputError
from ..fits.fit_store import TABLE_ATTRIBUTE
from ..model_evidence.measuring import label, measure, settings_of_draws
from ..tables.encoding import Encoding
from .comparison_table import rank, tabulate
from .found import Comparison
from .model_results import ModelResult, evaluate

__all__ = ["Comparison", "ModelResult", "compare", "put_together"]


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
        of held-out cases in the unit of the user's table where fits say what it is, as those of
        ``pymc-bnn compare`` and of estimators do, else in the scale of the models, with the Monte
        Carlo error of their ``log_score`` (see :func:`.evaluation.summarize_scores`);
        ``max_rhat``, ``min_ess`` and ``min_ess_tail`` of what a network identifies,
        ``divergences``, ``converged``, its ``grade`` in words, the ``answer`` to what it can be
        used for, whether predictions are ``stable`` (see
        :mod:`.stability`; missing where that is not asked, as of draws that have converged, or
        fewer than four chains cannot show it), how ``chains`` are weighed in predictions (see
        :mod:`.chain_stacking`), ``problems``; ``seconds``, ``estimated_seconds`` before the start,
        ``gradient_evaluations`` and ``ess_per_second``. If stochastic gradients made a fit, also
        ``biased``, ``energy_bias`` and ``energy_bias_mcse`` against a short exact run. With
        ``evidence`` also ``log_evidence`` and ``log_evidence_se``, the ``probability`` among models
        that are equally probable before (Baldock & Marzari 2019, Eqs. 12-14) from
        ``probability_low`` to ``probability_high``, and ``evidence_obstacle``, why it cannot be
        judged (see :mod:`.model_evidence.conclusions`).

    Raises
    ------
    InputError
        If there is nothing to compare, the fits are of other cases, some are of numbers and others
        of counts, or evidence is no truth value.

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
    if not isinstance(fits, Mapping):
        raise InputError("fits: give draws by the names of models, as in {'ard': idata}.")
    for name, idata in fits.items():
        if not isinstance(idata, xr.DataTree) or "posterior" not in idata:
            raise InputError(f"fit {name!r} is no DataTree with a posterior; give draws.")
    if test is not None and not (isinstance(test, tuple | list) and len(test) == 2):
        raise InputError("test: give held-out cases as (X, y), or leave it out.")
    if report is not None and not Path(report).parent.is_dir():
        raise InputError(f"report={str(report)!r}: there is no folder {Path(report).parent}.")
    if not isinstance(evidence, bool):
        raise InputError(f"evidence={evidence!r}: give True or False.")
    networks = {name: load(idata) for name, idata in fits.items()}
    _check_same_cases(networks)
    every = networks.values()
    first = next((m for m in every if has_simpler_models(m.likelihood)), next(iter(every)))
    simpler = {} if test is None else fit_baselines(first, test, seed)
    results: dict[str, ModelResult] = {}
    drawn: dict[str, Any] = {}
    for name, model in networks.items():
        results[name] = evaluate(
            name, model, fits[name], test, moment_match=moment_match, refit=refit, seed=seed
        )
        left = [other for other in networks if other not in results]
        left += map(label, networks if evidence else ())
        _report_so_far(results, simpler, left, report, drawn)
    for name in networks if evidence else ():
        settings = settings_of_draws(fits[name]["posterior"].sizes, seed)
        results[name].measured = found = measure(name, networks[name], settings)
        left = [label(other) for other, result in results.items() if result.measured is None]
        _report_so_far(results, simpler, left, report, drawn)
        if found.interrupted:
            break
    return put_together(results, simpler)


def _report_so_far(
    results: Mapping[str, ModelResult],
    baselines: dict[str, Baseline],
    left: Sequence[str],
    report: str | Path | None,
    drawn: dict[str, Any],
) -> None:
    if report is not None:
        notes = (f"Not yet compared: {', '.join(left)}.",) if left else ()
        replace(put_together(results, baselines), notes=notes).to_html(report, drawn)


def put_together(
    results: Mapping[str, ModelResult], baselines: dict[str, Baseline] | None = None
) -> Comparison:
    """Rank models that have been evaluated.

    Parameters
    ----------
    results : mapping of str to ModelResult
        The models, of the same cases.
    baselines : dict of str to Baseline, optional
        Simpler models.

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
    return Comparison(table, ordered, ranking, encoding, cases=cases, baselines=baselines or {})


def _check_same_cases(networks: Mapping[str, BNN]) -> None:
    first, *others = networks
    # codes of the same classes differ where one model has them in another order
    y = np.asarray(networks[first].training_data()[1])
    for name in others:
        other = np.asarray(networks[name].training_data()[1])
        if y.shape != other.shape or not np.array_equal(y, other):
            raise InputError(
                f"fits {first!r} and {name!r} are of different targets; compare like with like."
            )
        if networks[first].likelihood.counts != networks[name].likelihood.counts:
            raise InputError(
                f"fits {first!r} and {name!r}: one has densities of numbers and the other "
                "probabilities of counts, which no score compares; compare like with like."
            )


def _encoding(results: Mapping[str, ModelResult]) -> Encoding | None:
    attributes = [result.idata.attrs for result in results.values()]
    described = [found[TABLE_ATTRIBUTE] for found in attributes if TABLE_ATTRIBUTE in found]
    return Encoding.from_dict(json.loads(described[0])["encoding"]) if described else None
