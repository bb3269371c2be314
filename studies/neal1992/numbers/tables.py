"""Tables of the study: every run and every fit."""

from collections.abc import Callable, Sequence

import pandas as pd
import xarray as xr

from ...reproduction.results import Results
from ...tables.robot_arm import OUTPUTS
from ..design.budgets import Budget
from ..design.fits import fits
from ..design.printed import NOISE
from ..design.priors import LOGISTIC, PRIORS
from ..design.schedules import METROPOLIS_STEPS, STEP_SIZES, Cell
from ..runs.integrators import TARGETS
from ..runs.stages import (
    cell_key,
    cells,
    cooled_key,
    integrators_key,
    metropolis_key,
    prior_key,
)
from .transitions import most_rejected, transition

RUNS = {
    "set": "data set",
    "squared_error": "test error",
    "excess": "excess",
    "rejected": "rejected",
    "rejected_early": "rejected early",
    "largest": "largest weight",
    "wall": "least distance to a wall",
    "largest_step": "largest step",
    "weight": "tightest weight",
    "seconds": "seconds",
}
COOLED = {
    "set": "data set",
    "test_error": "test error",
    "excess": "excess",
    "log_score": "log score",
    "covered_inside": "covered inside",
    "covered_outside": "covered outside",
    "sd_inside": "sd inside",
    "sd_outside": "sd outside",
    "normalised_inside": "normalised inside",
    "normalised_outside": "normalised outside",
    "rejected": "rejected",
    "effective": "effective draws",
    "gradients": "gradients",
    "seconds": "seconds",
}
OF_SETS = {
    "pooled_error": "test error",
    "pooled_excess": "excess",
    "log_score": "log score",
    "covered_inside": "covered inside",
    "covered_outside": "covered outside",
    "normalised_inside": "normalised inside",
    "normalised_outside": "normalised outside",
    "effective": "effective draws",
    "gradients": "gradients",
    "seconds": "seconds",
}
OF_SCALES = {"effective_scales": "effective draws of hyperparameters"}  # not in older results
OF_PRIORS = {
    "log_evidence": "log evidence",
    "standard_error": "± log evidence",
    "log_score": "log score",
    "excess": "excess",
    "covered_outside": "covered outside",
}


def runs(results: Results[Budget]) -> pd.DataFrame:
    """All runs of experiment 1."""
    return _of_cells(results, STEP_SIZES, cell_key)


def metropolis(results: Results[Budget]) -> pd.DataFrame:
    """All runs of the Metropolis algorithm."""
    return _of_cells(results, METROPOLIS_STEPS, metropolis_key)


def _of_cells(
    results: Results[Budget], step_sizes: Sequence[float], key: Callable[[Cell], str]
) -> pd.DataFrame:
    rows = []
    for cell in cells(results.budget, tuple(step_sizes)):
        found = results.load(key(cell))
        if found is None:
            continue
        for k in range(found.sizes["run"]):
            row = {"way": cell.way, "step size": cell.step_size, "spread": cell.spread, "run": k}
            one = found.isel(run=k)
            row |= chosen(one, RUNS)
            rows.append(row | {"most rejected": most_rejected(one["training"].to_numpy())})
    return pd.DataFrame(rows)


def chosen(found: xr.Dataset, names: dict[str, str]) -> dict[str, float]:
    """Numbers of a result by the names that tables have for them."""
    return {title: found[name].item() for name, title in names.items()}


def present(found: xr.Dataset, names: dict[str, str]) -> dict[str, float]:
    """Such of the numbers as a result has."""
    return chosen(found, {name: title for name, title in names.items() if name in found})


def cooled(results: Results[Budget]) -> pd.DataFrame:
    """All runs of experiment 2, and where their energy fell late."""
    rows = []
    for number in range(results.budget.cooled):
        found = results.load(cooled_key(number))
        if found is not None:
            at = transition(found["energy"].to_numpy(), found["temperature"].to_numpy())
            row = {"run": number, **chosen(found, COOLED), **at._asdict()}
            rows.append(row | _of_last(found))
    return pd.DataFrame(rows)


def _of_last(found: xr.Dataset) -> dict[str, float]:
    """Errors of the last networks, one by one, on MacKay's scale (Fig. 4)."""
    last = found["training"].isel(iteration=slice(-found.sizes["kept"], None))
    scale = OUTPUTS / NOISE
    return {
        "training error of one": float(last.mean()) * scale,
        "test error of one": float(found["each"].mean()) * scale,
    }


def hyperparameters(results: Results[Budget]) -> pd.DataFrame:
    """How fast runs of experiment 2 move in their hyperparameters."""
    names = {"set": "data set", "effective_scales": "effective draws", "seconds": "seconds"}
    rows = []
    for number in range(results.budget.cooled):
        found = results.load(cooled_key(number))
        if found is not None and "effective_scales" in found:
            rows.append({"run": number, **chosen(found, names)})
    return pd.DataFrame(rows)


def starts(results: Results[Budget]) -> pd.DataFrame:
    """Each chain of the recommended sampler."""
    rows = []
    for fit in fits(results.budget):
        for number in range(fit.sets):
            found = results.load(fit.key(number))
            for k in range(found.sizes["start"]) if found is not None else ():
                one = found.isel(start=k)
                error, excess = one["squared_error"].item(), one["excess"].item()
                row = {"fit": fit.name, "data set": number, "start": k}
                rows.append(row | {"test error": error, "excess": excess})
    return pd.DataFrame(rows)


def sets(results: Results[Budget]) -> pd.DataFrame:
    """The recommended sampler on each data set, draws of all chains together."""
    rows = []
    for fit in fits(results.budget):
        for number in range(fit.sets):
            found = results.load(fit.key(number))
            if found is not None:
                row = {"fit": fit.name, "data set": number, **chosen(found, OF_SETS)}
                rows.append(row | present(found, OF_SCALES))
    return pd.DataFrame(rows)


def integrators(results: Results[Budget]) -> pd.DataFrame:
    """Both integrators on each data set."""
    rows = []
    for target in TARGETS:
        found = results.load(integrators_key(target))
        if found is None:
            continue
        for name in found["integrator"].to_numpy():
            one = found.sel(integrator=name)
            for k in range(one.sizes["run"]):
                row = {"target": target, "integrator": str(name), "data set": k}
                row |= {name: one[name].isel(run=k).item() for name in one.data_vars}
                rows.append(row)
    return pd.DataFrame(rows)


def priors(results: Results[Budget]) -> pd.DataFrame:
    """Evidence and scores of each prior on each data set."""
    rows = []
    for name in (*PRIORS, LOGISTIC):
        for number in range(results.budget.believed):
            found = results.load(prior_key(name, number))
            if found is not None:
                row = {"prior": name, "data set": number, **chosen(found, OF_PRIORS)}
                lag = {"lag": "lag", "lag_error": "± lag"} if name == LOGISTIC else {}
                rows.append(row | chosen(found, lag))
    return pd.DataFrame(rows)
