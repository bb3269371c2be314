"""How well methods explore: Choo (2000, Figs. 5.9-5.12, 5.14 and 6.1), and wider networks."""

from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...chains.bootstrap import Interval
from ..design.budgets import WIDTHS
from ..design.methods import METHODS, THESIS
from ..design.published import COMBINED, published
from ..numbers.analysis import posterior_means
from ..numbers.results import Results
from ..runs.trials import master_key
from .drawing import (
    COLOURS,
    GREY,
    MARKERS,
    SYMBOLS,
    VARIANCES,
    legend_below,
    log_axis,
    panels,
    width_axis,
)

TITLE_LETTERS = 18  # of a line, so that titles of neighbours do not touch
SPREAD = 1.02  # between methods' symbols at the same width


def settings(results: Results) -> Figure | None:
    """Performance of the thesis's methods over their grids (Figs. 5.9-5.12)."""
    return _settings(results, [m for m in THESIS if m in results.methods])


def settings_beyond(results: Results) -> Figure | None:
    """Performance of the other methods over their grids."""
    return _settings(results, [m for m in results.methods if m not in THESIS])


def _settings(results: Results, methods: list[str]) -> Figure | None:
    widths = [w for w in results.widths if any(results.grid(m, w) for m in methods)]
    if not widths:
        return None
    height = 0.6 + 1.75 * len(widths)
    figure, axes = panels(len(widths), len(methods), height, sharey="row")
    for i, (width, method) in enumerate((w, m) for w in widths for m in methods):
        first = i % len(methods) == 0
        if i < len(methods):
            axes[i].set_title(fill(METHODS[method].title, TITLE_LETTERS), fontsize=9)
        if first:
            axes[i].set_ylabel(f"$g$, {width} units")
        if results.grid(method, width):
            _setting_lines(axes[i], results, method, width)
        elif first:  # it has the numbers of the whole row
            axes[i].spines["bottom"].set_visible(False)
            axes[i].xaxis.set_visible(False)
        else:
            axes[i].set_axis_off()
    figure.supxlabel("leapfrog steps $l$")
    return figure


def _setting_lines(ax: Axes, results: Results, method: str, width: int) -> None:
    added = results.budget.added(method, width)
    every = method not in THESIS
    tried = [
        (n, eta, results.performance(width, key, every).value)
        for n, eta, key in results.grid(method, width)
    ]
    found = [setting for setting in tried if setting[:2] not in added]
    factors = sorted({eta for _, eta, _ in found})
    shades = np.linspace(1.0, 0.35, max(1, len(factors)))
    for eta, shade in zip(factors, shades, strict=False):
        line = sorted((steps, g) for steps, other, g in found if other == eta)
        style: dict[str, Any] = {
            "color": COLOURS[method],
            "alpha": shade,
            "marker": MARKERS[method],
        }
        ax.plot(*zip(*line, strict=True), label=rf"$\eta$ = {eta:g}", **style)
    for steps, eta, g in [setting for setting in tried if setting[:2] in added]:
        ax.plot(steps, g, "*", color=COLOURS[method], label=rf"$\eta$ = {eta:g}, the thesis's")
    lengths = sorted({steps for steps, _, _ in tried})
    shown = lengths[:: max(1, len(lengths) // 4)]
    ax.set_xscale("log")
    ax.set_xticks(shown, [str(length) for length in shown])
    ax.minorticks_off()
    log_axis(ax)
    if tried:
        best = min(tried, key=lambda setting: setting[2])
        ax.plot(best[0], best[2], "o", markersize=11, fillstyle="none", color="black")
        ax.legend(fontsize=7, handlelength=1.2, labelspacing=0.2)


def along_width(
    results: Results, method: str, widths: tuple[int, ...], every: bool = False
) -> dict[int, Interval]:
    """Performance at the best settings, by width."""
    keys = {width: results.again(method, width) for width in widths}
    return {width: results.performance(width, key, every) for width, key in keys.items() if key}


def error_bars(
    ax: Axes, found: dict[int, Interval], method: str, label: str, place: float = 1.0
) -> None:
    """Draw estimates with intervals against width."""
    if not found:
        return
    x = place * np.array(list(found))
    y = np.array([interval.value for interval in found.values()])
    low = y - [interval.low for interval in found.values()]
    high = [interval.high for interval in found.values()] - y
    style: dict[str, Any] = {"color": COLOURS[method], "marker": MARKERS[method], "capsize": 2}
    ax.errorbar(x, y, [np.maximum(low, 0), np.maximum(high, 0)], label=label, **style)


def width_of_all(results: Results) -> Figure | None:
    """Performance of all methods by all draws against width, wide networks included."""
    widths = results.widths
    found = {method: along_width(results, method, widths, every=True) for method in results.methods}
    if not any(found.values()):
        return None
    figure, (ax,) = panels(1, 1, height=4)
    for i, (method, intervals) in enumerate(found.items()):
        place = SPREAD ** (i - (len(found) - 1) / 2)
        error_bars(ax, intervals, method, METHODS[method].title, place)
    log_axis(ax)
    ax.set_ylabel("$g$ at equal passes, 90% interval")
    width_axis(ax, sorted({width for intervals in found.values() for width in intervals}))
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def hyperparameters(results: Results) -> Figure | None:
    """Variance of means of each hyperparameter against width (Fig. 5.14)."""
    if not any(along_width(results, method, results.budget.widths) for method in results.methods):
        return None
    figure, axes = panels(2, 2, height=6.2, sharex=True)
    for ax, letter in zip(axes, COMBINED, strict=True):
        for i, method in enumerate(results.methods):
            _variance_line(ax, results, method, letter, SPREAD ** (i - 2.5))
        ax.set_title(f"{VARIANCES[letter]}, of {SYMBOLS[letter]}")
        log_axis(ax)
        width_axis(ax, list(WIDTHS))
    legend_below(figure, axes[0], 3)
    return figure


def _variance_line(ax: Axes, results: Results, method: str, letter: str, place: float) -> None:
    colour, marker = COLOURS[method], MARKERS[method]
    table = published("performance").query("method == @method and hyperparameter == @letter")
    if len(table):
        x = place * table["hidden_units"]
        style: dict[str, Any] = {
            "color": colour,
            "alpha": 0.45,
            "linestyle": ":",
            "marker": "x",
            "capsize": 2,
        }
        label = f"{METHODS[method].title}, thesis"
        ax.errorbar(x, table["rho"], table["error"], label=label, **style)
    keys = {width: results.again(method, width) for width in results.budget.widths}
    found = {w: results.variances(w, key)[letter].values for w, key in keys.items() if key}
    if found:
        x, (y, error) = place * np.array(list(found)), np.array(list(found.values())).T
        style = {"color": colour, "marker": marker, "capsize": 2, "label": METHODS[method].title}
        ax.errorbar(x, y, error, **style)


def from_the_tail(results: Results) -> Figure | None:
    """How chains leave large scales: from their start states to their means (Fig. 6.1)."""
    widths = [w for w in (16, *results.budget.widths) if results.again("gibbs", w)]
    methods = [m for m in results.methods if widths and results.again(m, widths[0])]
    if not methods:
        return None
    columns = min(3, len(methods))
    rows = -(-len(methods) // columns)
    figure, axes = panels(rows, columns, height=0.4 + 2.7 * rows, sharex=True, sharey=True)
    for i, ax in enumerate(axes):
        if i < len(methods):
            _paths(ax, results, methods[i], widths[0])
            ax.set_xlabel(SYMBOLS["u"])
            if i % columns == 0:
                ax.set_ylabel(SYMBOLS["a"])
        else:
            ax.axis("off")
    legend_below(figure, axes[0], 4)
    return figure


def _paths(ax: Axes, results: Results, method: str, width: int) -> None:
    trial = results.load(results.again(method, width) or "")
    starts = results.load(master_key(width), "starts")["log_sigma"]
    start = starts.sel(hyperparameter=["u", "a"]).to_numpy()
    mean = np.stack([trial["posterior"][n].mean("draw").to_numpy() for n in "ua"], axis=1)
    inside = trial["posterior"]["stratum"].to_numpy() == "inside"
    ax.plot(*mean[~inside].T, "x", color=GREY, label="means of other chains", markersize=4)
    for begin, end in zip(start[inside], mean[inside], strict=True):
        ax.plot(*zip(begin, end, strict=True), "--", color=COLOURS[method], linewidth=0.7)
    ax.plot(*start[inside].T, "o", color="black", fillstyle="none", label="start states in G")
    ax.plot(*mean[inside].T, ".", color=COLOURS[method], label="their chains' means", markersize=7)
    true = posterior_means(results.folder, width)
    ax.plot(true["u"], true["a"], "P", color="black", label="posterior mean", markersize=6)
    ax.set_title(f"{METHODS[method].title}, {width} units", fontsize=9)
