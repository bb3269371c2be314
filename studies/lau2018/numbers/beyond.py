"""Tables that the thesis does not have: what moves errors, and what diagnostics say."""

import numpy as np
import pandas as pd
import xarray as xr

from ..design.candidates import FACTORS, SEEN
from ..design.experiments import THESIS
from ..design.keys import limit_key
from ..runs.scores import LARGEST_K, drawn_errors, score_error
from .results import Results, observed
from .tables import PERCENT, drawn, predictive

BEST = 4  # settings that are shown
# what a factor is changed from and to; every other factor stays as it is
CONTRASTS = {
    "inputs from 0 to 1 for raw ones": ("raw", "unit"),
    "standardized inputs for raw ones": ("raw", "standardized"),
    "gentle prior for a standard normal one": ("-unit-", "-gentle-"),
    "biases": ("plain", "biases"),
    "codes with normal noise for a softmax": ("biases", "biases-codes"),
    "longer chains": ("-short", ""),
}


def factors(results: Results) -> pd.DataFrame:
    """Test errors of the thesis's network with its inputs, prior and biases changed."""
    rows = []
    for experiment, fit in results.fits(results.budget.factors()):
        network = experiment.network
        row: dict[str, object] = {
            "inputs": network.inputs,
            "sds of weights": ", ".join(f"{prior.to_dict()['sd']:g}" for prior in network.priors),
            "biases": "yes" if network.biases else "no",
            "classes": "softmax" if network.noise is None else "codes",
            "draws": experiment.draws,
        }
        convergence = {"max R-hat of outputs": float(fit["outputs_max_rhat"])}
        rows.append({**row, **predictive(fit["probability"].values), **drawn(fit), **convergence})
    return pd.DataFrame(rows)


def effects(results: Results) -> pd.DataFrame:
    """What each factor changes, on average over pairs of runs that differ in nothing else.

    The standard error is that of the test cases, on which pairs are compared, and of the chains.
    """
    there = {row.row: fit for row, fit in results.fits(results.budget.factors())}
    rows = []
    for title, (old, new) in CONTRASTS.items():
        pairs = [(name, _renamed(name, old, new)) for name in there if _has(name, old)]
        both = [(there[a], there[b]) for a, b in pairs if a != b and b in there]
        if both:
            change, error = mean_difference(both)
            row = {"change": title, "pairs": len(both)}
            rows.append({**row, "error % changes by": change, "± of it": error})
    if there:
        change, error = averaging(list(there.values()))
        row = {"change": "the most probable class for a drawn one", "pairs": len(there)}
        rows.append({**row, "error % changes by": change, "± of it": error})
    return pd.DataFrame(rows)


def averaging(fits: list[xr.Dataset]) -> tuple[float, float]:
    """Mean change of the test error by averaging draws instead of drawing a class, with its error.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.lau2018.numbers.beyond import averaging
    >>> sure = np.zeros((2, 500, 10))
    >>> sure[..., 0] = 1.0
    >>> averaging([xr.Dataset({"probability": (("chain", "case", "class"), sure)})])
    (0.0, 0.0)
    """
    truth, gap = observed(), np.zeros(len(observed()))
    for fit in fits:
        probability = fit["probability"].values
        wrong = probability.mean(axis=0).argmax(axis=1) != truth
        gap += (wrong - drawn_errors(probability, truth)) / len(fits)
    return PERCENT * float(gap.mean()), PERCENT * float(gap.std(ddof=1) / np.sqrt(len(gap)))


def _has(name: str, old: str) -> bool:
    return name.startswith(old) if old in FACTORS else old in name


def _renamed(name: str, old: str, new: str) -> str:
    return name.replace(old, new, 1)


def mean_difference(pairs: list[tuple[xr.Dataset, xr.Dataset]]) -> tuple[float, float]:
    """Mean change of the test error from first to second results, in percent, with its error.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.lau2018.numbers.beyond import mean_difference
    >>> cells = ("chain", "case", "class")
    >>> one = xr.Dataset({"probability": (cells, np.full((2, 500, 10), 0.1))})
    >>> mean_difference([(one, one)])
    (0.0, 0.0)
    """
    truth = observed()
    gap, variance = np.zeros(len(truth)), 0.0
    for pair in pairs:
        for fit, sign in zip(pair, (-1.0, 1.0), strict=True):
            probability = fit["probability"].values
            wrong = probability.mean(axis=0).argmax(axis=1) != truth
            gap += sign * wrong / len(pairs)
            spread = float(np.nan_to_num(score_error(probability, truth).monte_carlo))
            variance += (spread / len(pairs)) ** 2
    error = np.sqrt(gap.var(ddof=1) / len(gap) + variance)
    change = round(PERCENT * float(gap.mean()), 9) + 0.0  # neither rounding's crumbs nor -0
    return change, PERCENT * float(error)


def scales(results: Results) -> pd.DataFrame:
    """Standard deviations with which infinitely wide networks on codes predict best by K-fold."""
    rows = []
    for name, inputs in SEEN.items():
        found = results.load(limit_key(inputs))
        for _, row in found.isel(setting=slice(BEST)).to_dataframe().iterrows() if found else ():
            rows.append(
                {
                    "inputs": name,
                    "sd of the first layer": row["first"],
                    "sd of outputs": row["spread"],
                    "noise": row["noise"],
                    "K-fold": row["log_score"],
                    "K-fold error %": PERCENT * row["error"],
                }
            )
    return pd.DataFrame(rows)


def single_weights(results: Results) -> pd.DataFrame:
    """Diagnostics of single weights beside those of the test cases' class probabilities."""
    tables = [row for name in THESIS for row in results.budget.table(name)]
    rows = []
    every = [*tables, *results.budget.factors(), *results.budget.candidates()]
    for experiment, fit in results.fits(every):
        row: dict[str, object] = {"table": experiment.table, "row": experiment.row}
        for kind in ("weights", "outputs"):
            row[f"R-hat > 1.05, {kind}"] = float(fit[f"{kind}_share"])
            row[f"max R-hat, {kind}"] = float(fit[f"{kind}_max_rhat"])
            row[f"median ESS, {kind}"] = float(fit[f"{kind}_median_ess"])
        rows.append(row)
    return pd.DataFrame(rows)


def efficiency(results: Results) -> pd.DataFrame:
    r"""Effective draws per second of :math:`\sigma^2` and of the median network output.

    All rows of Table 4.3's model; the last columns divide by those of nutpie's NUTS.
    """
    rows = []
    for experiment, fit in results.table("hyperparameter"):
        seconds = float(fit["seconds"])
        rows.append(
            {
                "row": experiment.row,
                "seconds": seconds,
                "variance, ESS/s": float(fit["variances_min_ess"]) / seconds,
                "median output, ESS/s": float(fit["outputs_median_ess"]) / seconds,
                "max R-hat of outputs": float(fit["outputs_max_rhat"]),
                "divergences": float(fit["divergences"]),
            }
        )
    table = pd.DataFrame(rows)
    peer = table[table["row"] == "nutpie-noncentered"] if len(table) else table
    for name in ("variance", "median output"):
        if len(peer):
            table[f"{name} over nutpie"] = table[f"{name}, ESS/s"] / float(
                peer[f"{name}, ESS/s"].iloc[0]
            )
    return table


def moment_matching(results: Results) -> pd.DataFrame:
    """Training cases where PSIS-LOO fails, before and after moment matching, and by K-fold."""
    rows = []
    for experiment in results.budget.candidates():
        found = results.load(f"matched-{experiment.key}")
        if found is None:
            continue
        examined = np.isfinite(found["matched_k"].values)
        held_out, truth = results.held_out(experiment), observed(test=False)
        log_density = np.full(len(truth), np.nan)
        if held_out is not None:
            log_density = np.log(held_out[np.arange(len(truth)), truth])
        rows.append(
            {
                "network": experiment.row,
                "k > 0.7": float((found["pareto_k"] > LARGEST_K).mean()),
                "examined": int(examined.sum()),
                "k > 0.7, matched": float((found["matched_k"][examined] > LARGEST_K).mean()),
                "LOO": float(found["loo"][examined].mean()),
                "LOO, matched": float(found["matched_loo"][examined].mean()),
                "K-fold": float(log_density[examined].mean()),
            }
        )
    return pd.DataFrame(rows)
