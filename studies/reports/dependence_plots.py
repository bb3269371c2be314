"""Plots of how the best model depends on its inputs, one image each, so that phones stack them."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..dependence.curve import INNER, OUTER, Curve
from ..dependence.functions import Functions
from ..dependence.grid import Grid
from ..dependence.partial_dependence import PartialDependence
from .plots import BLUE, GREY, RED, shortened

SIZE, SIZE_OF_FUNCTIONS = (3.9, 2.9), (4.8, 3.2)
MOST_PANELS = 6
MOST_CLASSES = 3
MOST_CATEGORIES = 12
MOST_LETTERS = 25  # of names side by side
MOST_CASES = 500
MARGIN = 0.05
BESIDE = 0.16  # of the range of a column, from its end to the point of rows without a number
# of the range of the targets, by which prior functions may widen the axes at either end: heavy
# tails would leave nothing to see of the posterior
MOST_WIDENING = 0.5
USUAL = (0.1, 0.9)
PURPLE = "#5b4b8a"
COLOURS = (BLUE, RED, PURPLE)
LINES = ("-", "--", ":")


class Limits(NamedTuple):
    """Ends of an axis."""

    low: float
    high: float

    def widened(self, by: float = MARGIN) -> "Limits":
        """Limits with a margin at either end, which is some share of what lies between them."""
        margin = by * ((self.high - self.low) or 1.0)
        return Limits(self.low - margin, self.high + margin)


def panels_of(dependence: PartialDependence) -> tuple[Curve, ...]:
    """Curves of the columns that matter most."""
    return dependence.curves[:MOST_PANELS]


def shown_classes(curve: Curve) -> list[int]:
    """Places of the classes whose probabilities change most along a column."""
    order = np.argsort(-curve.spreads.mean(axis=0), kind="stable")
    return sorted(order[:MOST_CLASSES].tolist())


def common_limits(dependence: PartialDependence) -> Limits:
    """An axis on which all panels can be compared."""
    bands = [(c.band(OUTER), shown_classes(c)) for c in panels_of(dependence)]
    low = min(float(band[0][:, places].min()) for band, places in bands)
    high = max(float(band[1][:, places].max()) for band, places in bands)
    return Limits(low, high).widened()


def mean_label(dependence: PartialDependence) -> str:
    """What is on the axis of means."""
    if not dependence.classes:
        return f"mean {dependence.target}"
    one = len(dependence.classes) == 1
    return f"probability of {dependence.classes[0]}" if one else "probability"


def plot_curve(curve: Curve, dependence: PartialDependence, limits: Limits) -> Figure:
    """Partial dependence on one column, with bands of 50% and 90%."""
    figure, axes = plt.subplots(figsize=SIZE)
    kept, places = _known(curve.grid), shown_classes(curve)
    values = curve.grid.values[kept]
    spots = np.arange(len(kept)) if curve.grid.categorical else values
    draw = _draw_points if curve.grid.categorical or len(kept) == 1 else _draw_line
    for line, place in enumerate(places):
        label = str(dependence.classes[place]) if len(places) > 1 else ""
        draw(axes, spots, *_mean_and_ends(curve, kept, place), line, label)
    if curve.grid.categorical:
        _name_categories(axes, curve.grid, kept)
    else:  # each mark stands for as many training rows
        axes.plot(values, np.full(len(values), limits.low), "|", color=GREY, ms=9, clip_on=False)
    if curve.grid.missing.any():
        _draw_missing(axes, curve, places)
    _label(axes, curve.grid, mean_label(dependence), limits)
    if len(places) > 1:
        # points of missing numbers, on the right, would look like a part of it
        axes.legend(
            frameon=False,
            fontsize=8,
            ncols=len(places),
            loc="upper left" if curve.grid.missing.any() else "upper center",
        )
    return figure


def _known(grid: Grid) -> np.ndarray:
    """Places of the values that an axis has room for; rows without a number have none on it."""
    kept = grid.most_frequent(MOST_CATEGORIES)
    return kept[~grid.missing[kept]]


def _mean_and_ends(curve: Curve, kept: np.ndarray, place: int) -> tuple[np.ndarray, list]:
    bands = [curve.band(probability) for probability in (INNER, OUTER)]
    return curve.mean[kept, place], [(low[kept, place], high[kept, place]) for low, high in bands]


def _draw_missing(axes: Axes, curve: Curve, places: list[int]) -> None:
    """Draw what is predicted where the number is missing, beside the others, with a word above."""
    known, gone = curve.grid.values[_known(curve.grid)], np.flatnonzero(curve.grid.missing)
    low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
    ticks = [tick for tick in axes.get_xticks() if low <= tick <= high]
    width = (high - low) or 1.0
    spot = np.array([high + BESIDE * width])
    for line, place in enumerate(places):
        moved = spot + BESIDE * width / 3 * (line - (len(places) - 1) / 2)
        _draw_points(axes, moved, *_mean_and_ends(curve, gone, place), line, "")
    axes.set_xticks(ticks)  # none beyond the numbers, where it is no axis of them
    axes.axvline(high + BESIDE * width / 2, color=GREY, lw=0.8, ls=":")
    above = axes.secondary_xaxis("top")
    above.set_xticks(spot, ["missing"], size=8)
    above.spines["top"].set_visible(False)


def _label(axes: Axes, grid: Grid, mean: str, limits: Limits) -> None:
    axes.set(ylim=limits)
    all_of_them = not grid.categorical or len(grid.values) <= MOST_CATEGORIES
    frequent = "" if all_of_them else f", {MOST_CATEGORIES} most frequent of {len(grid.values)}"
    axes.set_xlabel(shortened(grid.column) + frequent, size=9)
    axes.set_ylabel(shortened(mean), size=9)
    axes.tick_params(labelsize=8)


def _name_categories(axes: Axes, grid: Grid, kept: np.ndarray) -> None:
    names = [shortened(str(value)) for value in grid.values[kept]]
    upright = sum(map(len, names)) > MOST_LETTERS
    axes.set_xticks(np.arange(len(kept)), names, rotation=90 if upright else 0)
    axes.set_xlim(-0.5, len(kept) - 0.5)


def _draw_line(
    axes: Axes, spots: np.ndarray, mean: np.ndarray, ends: list, line: int, label: str
) -> None:
    for alpha, (low, high) in zip((0.3, 0.15), ends, strict=True):
        axes.fill_between(spots, low, high, color=COLOURS[line], alpha=alpha, lw=0)
    axes.plot(spots, mean, color=COLOURS[line], ls=LINES[line], label=label)


def _draw_points(
    axes: Axes, spots: np.ndarray, mean: np.ndarray, ends: list, line: int, label: str
) -> None:
    moved = spots + 0.15 * (line - 1) if label else spots
    for width, (low, high) in zip((4.0, 1.4), ends, strict=True):
        axes.vlines(moved, low, high, color=COLOURS[line], lw=width, alpha=0.7)
    axes.plot(moved, mean, "o^s"[line], color=COLOURS[line], ms=6, label=label)


def function_limits(functions: Functions) -> Limits:
    """An axis for functions from prior and posterior and for the data alike."""
    near = np.concatenate([functions.posterior.ravel(), functions.y])
    found = Limits(float(near.min()), float(near.max()))
    # clipped first, as a mean count may be infinite
    near_ones = np.clip(functions.prior, *found.widened(MOST_WIDENING))
    low, high = np.nanquantile(near_ones, USUAL)
    if functions.limit is not None:  # a line that the legend names is to be seen
        ends = np.clip(functions.limit, *found.widened(MOST_WIDENING))
        low, high = min(low, ends.min()), max(high, ends.max())
    return Limits(min(found.low, float(low)), max(found.high, float(high))).widened()


def outside(functions: Functions, limits: Limits) -> int:
    """How many functions from the prior leave the axes."""
    inside = (functions.prior >= limits.low) & (functions.prior <= limits.high)
    return int((~inside.all(axis=1)).sum())


def plot_functions(
    functions: Functions,
    drawn: np.ndarray,
    mean: str,
    colour: str,
    limit: np.ndarray | None = None,
) -> Figure:
    """Some functions along a column, with the training cases and ends of an interval."""
    figure, axes = plt.subplots(figsize=SIZE_OF_FUNCTIONS)
    limits, grid = function_limits(functions), functions.grid
    kept = grid.most_frequent(MOST_CATEGORIES)
    x, y = _some_cases(functions, kept)
    # cases of classes lie on the ends of the axis, below lines that are certain
    mark, size = (".", 4) if functions.label is None else ("|", 9)
    axes.plot(x, y, mark, color=GREY, alpha=0.5, ms=size, label="training cases")
    # a function that leaves the axes may be infinite there
    lines = np.clip(drawn[:, kept], *limits.widened(MOST_WIDENING)).T
    spots = np.arange(len(kept)) if grid.categorical else grid.values
    axes.plot(spots, lines, color=colour, lw=1.0, alpha=0.7, marker="." if grid.categorical else "")
    if limit is not None and ((limit > limits.low) & (limit < limits.high)).any():
        [line, _] = axes.plot(spots, limit[:, kept].T, color=GREY, lw=1.4, ls="--")
        line.set_label("95% of a normal process")
    if grid.categorical:
        _name_categories(axes, grid, kept)
    _label(axes, grid, mean, limits)
    axes.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), borderpad=0)
    return figure


def _some_cases(functions: Functions, kept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Training cases to draw; those of categories beside each other."""
    rng = np.random.default_rng(0)
    few = rng.permutation(len(functions.x))[:MOST_CASES]
    x, y = functions.x[few], functions.y[few]
    if not functions.grid.categorical:
        return x, y
    there = np.isin(x, kept)
    beside = rng.uniform(-0.15, 0.15, int(there.sum()))
    return np.searchsorted(kept, x[there]) + beside, y[there]
