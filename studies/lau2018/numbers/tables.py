"""The tables of chapter 4, each number beside the thesis's."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import xarray as xr

from ..design.declarations import Experiment
from ..design.experiments import THESIS
from ..design.published import printed
from ..runs.arithmetic import NETWORKS, PRINTED
from ..runs.scores import drawn_errors, score_error, score_probabilities
from ..runs.stages import COMMITTEE_INPUTS
from .results import Results, observed

Table = Callable[[Results], pd.DataFrame]
PERCENT = 100.0
DRAWN = "error % of drawn classes"
PREDICTIVE = ("error %", "± chains", "± cases", "log score", "calibration error")
FROM_THESIS = {
    "test_error": "thesis's error %",
    "variance_ess": "thesis's ESS of variance",
    "min_ess": "thesis's min ESS",
    "median_ess": "thesis's median ESS",
    "seconds": "thesis's seconds",
    "waic": "thesis's WAIC",
}


def predictive(probability: np.ndarray) -> dict[str, float]:
    """Scores of test cases that every table shows.

    Parameters
    ----------
    probability : ndarray, shape (chains, 500, 10)
        Mean class probabilities of each chain.

    Returns
    -------
    dict of str to float
        Test error in percent, its two standard errors (:class:`.scores.TestError`), log score in
        nats per case and expected calibration error; undefined where draws have diverged.
    """
    truth = observed()
    if not np.isfinite(probability).all():
        return dict.fromkeys(PREDICTIVE, np.nan)
    error = score_error(probability, truth)
    scores = score_probabilities(probability.mean(axis=0), truth)
    values = (
        PERCENT * error.value,
        PERCENT * error.monte_carlo,
        PERCENT * error.binomial,
        scores["log_score"],
        scores["calibration_error"],
    )
    return dict(zip(PREDICTIVE, values, strict=True))


def drawn(fit: xr.Dataset) -> dict[str, float]:
    """Test error in percent of classes that are drawn from the predictive probabilities."""
    return {DRAWN: PERCENT * float(drawn_errors(fit["probability"].values, observed()).mean())}


def sampled(fit: xr.Dataset) -> dict[str, float]:
    """How well an experiment was sampled, in single weights and in function space."""
    columns = {
        "min ESS": "weights_min_ess",
        "median ESS": "weights_median_ess",
        "min ESS of outputs": "outputs_min_ess",
        "median ESS of outputs": "outputs_median_ess",
        "max R-hat of outputs": "outputs_max_rhat",
        "seconds": "seconds",
        "divergences": "divergences",
    }
    return {name: float(fit[source]) for name, source in columns.items()}


def thesis_table(results: Results, name: str) -> pd.DataFrame:
    """A table of the thesis: ours and, where it has the row, its numbers.

    Parameters
    ----------
    results : Results
        What is there.
    name : str
        From :data:`.experiments.THESIS`.

    Returns
    -------
    DataFrame
    """
    rows = []
    for experiment, fit in results.table(name):
        lengths = {"chains": experiment.chains, "warm-up": experiment.tune}
        row: dict[str, object] = {"row": experiment.row, **lengths, "draws": experiment.draws}
        row |= (
            predictive(fit["probability"].values)
            | drawn(fit)
            | _variance(fit)
            | _bias(fit)
            | sampled(fit)
            | _criteria(name, fit)
            | _printed(name, experiment)
        )
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.dropna(axis=1, how="all") if len(table) else table


def _variance(fit: xr.Dataset) -> dict[str, float]:
    name = "variances_min_ess"
    return {"ESS of variance": float(fit[name])} if name in fit else {}


def _bias(fit: xr.Dataset) -> dict[str, float]:
    columns = {"energy off by": "energy_bias", "± energy": "energy_bias_mcse"}
    return {shown: float(fit[name]) for shown, name in columns.items() if name in fit}


def _criteria(name: str, fit: xr.Dataset) -> dict[str, float]:
    if name != "information_criterion":
        return {}
    k = fit["pareto_k"].values
    return {
        "WAIC": float(fit["waic"].sum()),
        "LOO": float(fit["loo"].sum()),
        "k > 0.7": float(np.mean(k > 0.7)),
    }


def _printed(name: str, experiment: Experiment) -> dict[str, float]:
    if not experiment.at:
        return dict.fromkeys(FROM_THESIS.values(), np.nan)
    row = printed(name, **experiment.at)
    return {shown: float(row.get(column, np.nan)) for column, shown in FROM_THESIS.items()}


TABLES: dict[str, Table] = {name: partial(thesis_table, name=name) for name in THESIS}


def committees(results: Results) -> pd.DataFrame:
    """Committees of early-stopped networks, Table 4.1."""
    rows = []
    for inputs in COMMITTEE_INPUTS:
        found = results.load(f"committee-{inputs}")
        if found is None:
            continue
        for size in found["size"].values:
            one = found.sel(size=size)
            rows.append(
                {
                    "inputs": inputs,
                    "members": int(size),
                    "error %": PERCENT * float(one["test_error"]),
                    "± committees": PERCENT * float(one["monte_carlo"]),
                    "log score": float(one["log_score"]),
                    "calibration error": float(one["calibration_error"]),
                    "thesis's error %": float(printed("committees", members=size)["test_error"]),
                }
            )
    return pd.DataFrame(rows)


def arithmetic(results: Results) -> pd.DataFrame:
    """Differences of the final energies in both precisions."""
    rows = []
    for name in NETWORKS:
        found = results.load(f"arithmetic-{name}")
        if found is None:
            continue
        size = np.abs(found["difference"].values)
        cast = np.abs(found["cast_difference"].values) if "cast_difference" in found else None
        rows.append(
            {
                "prior": name,
                "trajectories": len(size),
                "mean difference": float(size.mean()),
                "largest": float(size.max()),
                "mean, all cast": np.nan if cast is None else float(cast.mean()),
                "largest, all cast": np.nan if cast is None else float(cast.max()),
                "energy error in double": float(np.abs(found["energy_error"]).mean()),
            }
        )
    return pd.DataFrame(rows)


def beside_thesis(table: pd.DataFrame) -> pd.DataFrame:
    """Set what the thesis says of energies beside ours: it does so in words."""
    return table.assign(**{"the thesis says": table["prior"].map(PRINTED)})
