"""Figures of geometric means beside the thesis's (Choo 2000, 5.13 and 5.15), from tables alone."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..design.methods import METHODS, THESIS
from ..numbers.judged import intervals
from ..numbers.tables import PAIRS
from .drawing import GREY, log_axis, panels, width_axis
from .performance_figures import error_bars


def width_of_thesis(table: pd.DataFrame) -> Figure | None:
    """Performance against width at the best settings (Fig. 5.13), the thesis's beside ours."""
    known = table.dropna(subset=["thesis recomputed"])
    if known.empty:
        return None
    figure, axes = panels(1, 3, height=3.1, sharey=True)
    for ax, method in zip(axes, THESIS, strict=True):
        rows = known[known["method"] == METHODS[method].title]
        _both(ax, rows, "g", method)
        ax.set_title(METHODS[method].title)
        log_axis(ax)
        ax.legend(fontsize=8)
    axes[0].set_ylabel("$g$")
    return figure


def ratios(table: pd.DataFrame) -> Figure | None:
    """Ratios of performances of pairs of methods against width (Fig. 5.15)."""
    if table.empty:
        return None
    figure, axes = panels(1, 3, height=3.1, sharey=True)
    for ax, pair in zip(axes, PAIRS, strict=True):
        name = " / ".join(METHODS[method].title for method in pair)
        _both(ax, table[table["ratio of"] == name], "ratio", pair[0])
        ax.axhline(1, color=GREY, linewidth=0.8, linestyle=":")
        ax.set(yscale="log", title=name)
        ax.set_yticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
        ax.tick_params(axis="y", which="minor", left=False, labelleft=False)
        ax.legend(fontsize=8)
    axes[0].set_ylabel("ratio of $g$")
    return figure


def _both(ax: Axes, rows: pd.DataFrame, column: str, method: str) -> None:
    """Draw the thesis's numbers, of its variances and as printed, and ours with intervals."""
    widths = rows["hidden units"]
    ax.plot(widths, rows["thesis recomputed"], "--", marker="x", color="black", label="thesis")
    ax.plot(widths, rows["thesis printed"], "+", color=GREY, label="as printed")
    found = intervals(rows, column, "low", "high")
    error_bars(ax, dict(zip(widths, found, strict=True)), method, "here, 90% interval")
    width_axis(ax, list(widths))
