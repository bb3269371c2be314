"""Tables of the study: approximations of the posterior."""

from typing import Any

import pandas as pd

from ...reproduction.results import Results
from ..design.budgets import Budget
from ..runs.stages import approximated_key, joint_key, modes_key
from .tables import COOLED, chosen, present

LACKING = ("set", "rejected", "effective", "gradients")  # what approximations have not
OF_JOINT_MODES = {"slope": "largest slope", "inputs": "largest weight of inputs"}
SMALL_EVIDENCE = {"small_evidence": "log evidence, eight units"}
GAUSSIAN = "gaussian approximation"
OF_BOUNDS = {
    "bound": "bound",
    "bound_error": "± bound",
    "steps": "steps",
    "converged": "converged",
    "small_bound": "bound, eight units",
    "small_error": "± bound, eight units",
    "small_converged": "converged, eight units",
}  # of variational ones, and not in older results


def approximations(results: Results[Budget]) -> pd.DataFrame:
    """All approximations on each data set."""
    names = {name: title for name, title in COOLED.items() if name not in LACKING}
    rows = []
    for number in range(results.budget.approximated):
        found = results.load(approximated_key(number))
        if found is not None:
            for method in found["method"].to_numpy():
                one = found.sel({"method": method})
                row = {"method": str(method), "data set": number, **chosen(one, names)}
                rows.append(row | present(one, OF_BOUNDS))
    for number in range(results.budget.sets):
        found = results.load(modes_key(number))
        if found is not None:
            row = {"method": GAUSSIAN, "data set": number, **chosen(found, names)}
            rows.append(row | chosen(found, SMALL_EVIDENCE))
    return pd.DataFrame([*rows, *_at_joint_modes(results, names)])


def _at_joint_modes(results: Results[Budget], names: dict[str, str]) -> list[dict[str, Any]]:
    rows = []
    for number in range(results.budget.approximated):
        found = results.load(joint_key(number))
        for method in found["method"].to_numpy() if found is not None else ():
            one = found.sel({"method": method})
            row = {"method": str(method), "data set": number}
            rows.append(row | chosen(one, names | OF_JOINT_MODES | SMALL_EVIDENCE))
    return rows


def modes(results: Results[Budget]) -> pd.DataFrame:
    """Each start of the Gaussian approximation."""
    names = {"log_evidence": "log evidence", "mode_error": "test error", "mode_excess": "excess"}
    rows = []
    for number in range(results.budget.sets):
        found = results.load(modes_key(number))
        for k in range(found.sizes["mode"]) if found is not None else ():
            row = {"data set": number, "start": k}
            rows.append(row | chosen(found.isel(mode=k), names))
    return pd.DataFrame(rows)
