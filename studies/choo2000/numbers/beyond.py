"""Tables beyond the thesis: its tails, gains over Gibbs, and rejections; see :mod:`.judged`."""

from typing import Any

import numpy as np
import pandas as pd

from ...chains.bootstrap import Interval
from ..design.methods import METHODS, RECOMMENDED
from ..design.starts import INSIDE, OUTSIDE
from ..runs.many_starts import STAGE
from ..runs.rejections import LONGEST, Curve
from .results import Results, with_interval
from .tables import in_region, log_error, mcse

TAIL_BORDERS = (4, 6, 8, 10)
# that have the trajectories of a curve
SPLIT_METHODS = {
    "a": ("dynamical_a", "interweaved_a"),
    "tethered_a": ("tethered_a",),
    "b": ("dynamical_b",),
    "estimated_b": ("estimated_b",),
}


def tails(results: Results) -> pd.DataFrame:
    """Probabilities of large scales in the master runs without and with interweaving.

    No error is less than that of as many independent draws as the plain run has inefficiency
    factors of log sigma_u, at the other run's probability: one visit alone says nothing of it.
    """
    rows: list[list[Any]] = []
    for width in results.budget.widths:
        runs = [results.master(width, kind) for kind in (False, True)]
        if runs[0] is None or runs[1] is None:
            continue
        for letter in ("u", "a"):
            for border in TAIL_BORDERS:
                found = [in_region(run, letter, border) for run in runs if run is not None]
                values = [float(x.mean()) for x in found]
                least = _error_of(values[1], results, width)
                errors = [np.fmax(mcse(found[0]), least), mcse(found[1])]
                both = [values[0], errors[0], values[1], errors[1]]
                rows.append([width, letter, border, *both])
    columns = ["hidden units", "hyperparameter", "log sigma above", "plain", "error"]
    return pd.DataFrame(rows, columns=[*columns, "interweaved", "its error"])


def _error_of(expected: float, results: Results, width: int) -> float:
    """Monte Carlo error of a plain run with a probability that is expected of it."""
    summary = results.master(width, False, "summary")
    if summary is None:
        return np.nan
    factor = float(summary["inefficiency"].sel(hyperparameter="u")) / float(summary["samples"])
    return float(np.sqrt(expected * (1 - expected) * factor))


def start_bias(results: Results) -> pd.DataFrame:
    """Table of g from start states of either master run, at the same settings."""
    rows = []
    for method in ("gibbs", RECOMMENDED):
        for width in results.budget.widths:
            keys = [results.again(method, width, stage) for stage in ("again", "tail")]
            if keys[0] is None or keys[1] is None:
                continue
            plain, woven = (
                results.performance(width, key, every=True) for key in keys if key is not None
            )
            head = [METHODS[method].title, width, plain.value, plain.low, plain.high]
            rows.append([*head, woven.value, woven.low, woven.high])
    columns = ["method", "hidden units", "g, plain starts", "low", "high"]
    more = ["g, interweaved starts", "its low", "its high"]
    return pd.DataFrame(rows, columns=columns + more)


def gains(results: Results) -> pd.DataFrame:
    """Ratio of every method's g to Gibbs's at equal passes, and of what both took."""
    rows = []
    for method in results.methods:
        for width in results.widths:
            ratio = results.ratio(width, method, "gibbs", every=True) if method != "gibbs" else None
            if ratio is None:
                continue
            costs = _costs(results, method, width)
            head = [METHODS[method].title, width, ratio.value, ratio.low, ratio.high]
            rows.append([*head, *costs])
    columns = ["method", "hidden units", "ratio", "low", "high"]
    more = ["passes, of Gibbs's", "seconds, of Gibbs's"]
    return pd.DataFrame(rows, columns=columns + more)


def _costs(results: Results, method: str, width: int) -> list[float]:
    """Passes and seconds over Gibbs's; the latter only where both ran in the same way.

    Eight chains at a time take less of each than one after the other.
    """
    keys = [results.again(name, width) for name in (method, "gibbs")]
    one, other = (results.load(str(key)).attrs for key in keys)
    alike = one.get("packs", 0) == other.get("packs", 0)
    seconds = one["seconds"] / other["seconds"] if alike else np.nan
    return [float(one["passes"] / other["passes"]), float(seconds)]


def slope_of(widths: list[int], intervals: list[Interval]) -> tuple[float, float]:
    """Slope of log g against log width with its standard error, from independent intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.chains.bootstrap import Interval
    >>> from pymc_bnn.studies.choo2000.numbers.beyond import slope_of
    >>> g = [Interval(x, x / np.exp(1.6449), x * np.exp(1.6449)) for x in (0.1, 0.2)]
    >>> slope, error = slope_of([8, 16], g)
    >>> round(slope, 3), round(float(error * np.log(2) / 2**0.5), 3)
    (1.0, 1.0)
    """
    x = np.log(widths)
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    slope = weights @ np.log([interval.value for interval in intervals])
    return float(slope), float(np.linalg.norm(weights * [log_error(i) for i in intervals]))


def slopes(results: Results) -> pd.DataFrame:
    """Slopes of log g against log width, by method, widths and start states."""
    stages = {"again": "as in the thesis", "tail": "interweaved"}
    if results.budget.times:
        stages[STAGE] = f"interweaved, {results.budget.times * (OUTSIDE + INSIDE)} of them"
    rows = []
    for method in results.methods:
        for stage, starts in stages.items():
            for widths in dict.fromkeys((results.budget.widths, results.widths)):
                found = _along(results, method, widths, stage)
                if len(found) < 2 or len(found) < len(widths):
                    continue
                slope, error = slope_of(list(found), list(found.values()))
                shown = f"{min(widths)}-{max(widths)}"
                rows.append([METHODS[method].title, shown, starts, slope, error])
    return pd.DataFrame(rows, columns=["method", "widths", "start states", "slope", "error"])


def _along(results: Results, method: str, widths: Any, stage: str) -> dict[int, Interval]:
    """Performance by width; wide networks have no other start states than interweaved ones."""
    found = {}
    for width in widths:
        wide = width in results.budget.wide and stage != STAGE
        key = results.again(method, width, "again" if wide else stage)
        if key is not None:
            found[width] = results.performance(width, key, every=True)
    return found


def rejection_growth(results: Results) -> pd.DataFrame:
    """Rejection rates at 50 and 2000 leapfrog steps, and g of the samplers that have them."""
    rows = []
    for curve, rates in results.curves():
        if curve.figure != "beyond":
            continue
        at = results.rejection(curve.width, rates["rejection"].sel(n_leapfrog=[50, 2000]))
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = with_interval(at[:, 1] / at[:, 0])
        found = split_performance(results, curve)
        for method, ratio in found or [("", Interval(np.nan, np.nan, np.nan))]:
            head = [curve.title, curve.width, at[0, 0], at[0, 1]]
            more: list[Any] = [growth.value, growth.low, growth.high]
            rows.append([*head, *more, method, ratio.value, ratio.low, ratio.high])
    columns = ["sampler", "hidden units", "at 50", "at 2000", "ratio", "low", "high"]
    more = ["as", "g over Gibbs's", "its low", "its high"]
    return pd.DataFrame(rows, columns=columns + more)


def thesis_curves(results: Results) -> pd.DataFrame:
    """Rejection rates of the samplers of Figures 6.2 and 6.5-6.7, at 50 leapfrog steps and more."""
    rows = []
    for curve, rates in results.curves():
        if curve.figure == "beyond":
            continue
        found = rates["rejection"].reindex(n_leapfrog=[50, 2000, LONGEST])
        at = results.rejection(curve.width, found)
        both = zip(at[0], at[1:].std(axis=0), strict=True)
        row = [curve.figure, curve.title, curve.width, curve.step_scale]
        rows.append([*row, *(number for pair in both for number in pair)])
    columns = ["figure", "sampler", "hidden units", "eta"]
    for length in (50, 2000, LONGEST):
        columns += [f"at {length}", f"error at {length}"]
    return pd.DataFrame(rows, columns=columns)


def split_performance(results: Results, curve: Curve) -> list[tuple[str, Interval]]:
    """Find g over Gibbs's of the methods whose trajectories are a curve's.

    At the factor of the curve and the length that is best for it in the grid; interweaving in
    between leaves the trajectories of a method as they are.
    """
    found: list[tuple[str, Interval]] = []
    gibbs = results.again("gibbs", curve.width)
    if curve.hyper_ratio != 1 or curve.method not in SPLIT_METHODS or gibbs is None:
        return found
    for method in SPLIT_METHODS[curve.method]:
        trials = [
            key for _, eta, key in results.grid(method, curve.width) if eta == curve.step_scale
        ]
        again = results.again(method, curve.width)
        if again is not None and results.load(again).attrs["step_scale"] == curve.step_scale:
            trials = [again]
        if trials:
            best = min(trials, key=lambda key: results.performance(curve.width, key, True).value)
            ratio = results.ratio_of(curve.width, best, gibbs, every=True)
            found.append((METHODS[method].title, ratio))
    return found
