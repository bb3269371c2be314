"""Compare fitted networks: which one predicts best, by how much, and whether to believe it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import arviz as az
import numpy as np
import pandas as pd
import xarray as xr
from arviz_stats.utils import ELPDData

from ..models import load
from ..models.network import BNN
from ..samplers import EnergyBias
from .biases import bias_columns, bias_of
from .convergence import Convergence, check_convergence
from .encoding import Encoding
from .errors import InputError
from .evaluation import score_cases, summarize_scores
from .fitting import TABLE_ATTRIBUTE
from .information_criterion import ELPDDataWAIC, waic
from .refitting import leave_one_out, quietly, with_log_likelihood
from .verdict import advise_on_pareto_k, state_verdict


@dataclass
class ModelResult:
    """Everything about one fitted network.

    Parameters
    ----------
    name : str
        What it is called.
    model : BNN
        The network.
    idata : DataTree
        Its draws, with the group ``log_likelihood``.
    loo : ELPDData
        PSIS-LOO, repaired if that was asked for.
    waic : ELPDDataWAIC
        WAIC.
    convergence : Convergence
        Diagnostics of the sampler.
    scores : Dataset or None
        Predictions and scores of held-out cases.
    bias : EnergyBias or None
        Bias of the mean energy, if the sampler is not exact.
    """

    name: str
    model: BNN
    idata: xr.DataTree
    loo: ELPDData
    waic: ELPDDataWAIC
    convergence: Convergence
    scores: xr.Dataset | None = None
    bias: EnergyBias | None = None

    @property
    def bad_cases(self) -> int:
        """Number of cases whose Pareto k says that PSIS-LOO fails."""
        return int((self.loo.pareto_k > self.loo.good_k).sum())

    @property
    def seconds(self) -> float:
        """Sampling time of the chains, warm-up included and compilation not."""
        attributes = self.idata.attrs | self.idata["posterior"].attrs
        return float(attributes.get("sampling_time", np.nan))

    @property
    def gradient_evaluations(self) -> int:
        """Gradients of the log posterior, those of warm-up included if they are known."""
        if "gradient_evaluations" in self.idata.attrs:
            return int(self.idata.attrs["gradient_evaluations"])
        stats = self.idata["sample_stats"].dataset if "sample_stats" in self.idata else {}
        return int(stats["n_steps"].sum()) if "n_steps" in stats else 0


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
        """Two sentences: which model predicts best and by how much, and whether to believe it."""
        return state_verdict(self.table)

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

    def to_html(self, path: str | Path) -> Path:
        """Write the report: one page that needs no network.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        Path
        """
        from .report import write_report  # plots take a while to import

        return write_report(self, Path(path))


def compare(
    fits: Mapping[str, xr.DataTree],
    test: tuple[Any, Any] | None = None,
    *,
    moment_match: bool = False,
    refit: bool = False,
    seed: int = 0,
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
    seed : int
        For simulated targets and refits.

    Returns
    -------
    Comparison
        Its table has, for each model: ``rank``; PSIS-LOO as ``elpd_loo``, ``se``, ``elpd_diff``,
        ``dse``, ``p_loo`` and stacking ``weight``; ``elpd_waic``, ``se_waic`` and ``p_waic``;
        ``bad_k`` and the ``advice`` that follows; scores of held-out cases in the unit of the
        user's table (see :func:`.evaluation.summarize_scores`); ``max_rhat`` and ``min_ess`` of
        what a network identifies, ``divergences``, ``converged`` and ``problems``; ``seconds``,
        ``gradient_evaluations`` and ``ess_per_second``. If stochastic gradients made a fit, also
        ``biased``, and ``energy_bias`` and ``energy_bias_mcse`` against a short exact run.

    Raises
    ------
    InputError
        If there is nothing to compare, or the fits are not of the same cases.

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
    networks = {name: load(idata) for name, idata in fits.items()}
    _check_same_cases(networks)
    results = {}
    for name, model in networks.items():
        idata = with_log_likelihood(model, fits[name])
        results[name] = ModelResult(
            name,
            model,
            idata,
            leave_one_out(model, idata, moment_match, refit, seed),
            quietly(waic, idata),
            check_convergence(model, idata),
            None if test is None else score_cases(model, idata, *test, seed=seed),
            bias_of(fits[name], seed),
        )
    encoding = _encoding(fits)
    ranking = _rank({name: result.loo for name, result in results.items()})
    table = _table(results, ranking, 1.0 if encoding is None else encoding.sd)
    ordered = {name: results[name] for name in table.index}
    cases = {"training": len(next(iter(networks.values()))["X"].get_value(borrow=True))}
    if test is not None:
        cases["test"] = len(test[1])
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


def _encoding(fits: Mapping[str, xr.DataTree]) -> Encoding | None:
    for idata in fits.values():
        if TABLE_ATTRIBUTE in idata.attrs:
            return Encoding.from_dict(json.loads(idata.attrs[TABLE_ATTRIBUTE])["encoding"])
    return None


def _rank(criteria: Mapping[str, ELPDData]) -> pd.DataFrame:
    """Compare by ArviZ; a single model gets a table of the same form."""
    if len(criteria) > 1:
        return quietly(az.compare, criteria, round_to="none")
    [(name, loo)] = criteria.items()
    alone = {"rank": 0, "elpd": loo.elpd, "se": loo.se, "p": loo.p, "weight": 1.0}
    return pd.DataFrame([{**alone, "elpd_diff": 0.0, "dse": 0.0}], index=[name])


def _table(results: Mapping[str, ModelResult], ranking: pd.DataFrame, sd: float) -> pd.DataFrame:
    """Put everything into one table, best model first."""
    rows = {
        name: {"rank": rank, **_row(results[name], row, sd)}
        for rank, (name, row) in enumerate(ranking.iterrows())
    }
    if any(result.bias is not None for result in results.values()):
        rows = {name: {**row, **bias_columns(results[name].bias)} for name, row in rows.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("model")


def _row(result: ModelResult, row: pd.Series, sd: float) -> dict[str, Any]:
    convergence = result.convergence
    scores = {} if result.scores is None else summarize_scores(result.scores, sd)
    cases = int(result.loo.n_data_points)
    return {
        "elpd_loo": row["elpd"],
        "se": row["se"],
        "elpd_diff": row["elpd_diff"],
        "dse": row["dse"],
        "p_loo": row["p"],
        "weight": row["weight"],
        "elpd_waic": result.waic.elpd,
        "se_waic": result.waic.se,
        "p_waic": result.waic.p,
        "bad_k": result.bad_cases,
        "advice": advise_on_pareto_k(result.bad_cases, cases),
        **scores,
        "max_rhat": convergence.table["rhat"].max(),
        "min_ess": convergence.least_ess,
        "divergences": convergence.divergences,
        "converged": convergence.converged,
        "problems": "; ".join(convergence.problems),
        "seconds": result.seconds,
        "gradient_evaluations": result.gradient_evaluations,
        "ess_per_second": convergence.least_ess / result.seconds,
    }
