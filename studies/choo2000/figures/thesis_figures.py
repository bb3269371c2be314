"""Geometric means beside the thesis's (Choo 2000, Figs. 5.13 and 5.15), from tables alone."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..design.methods import METHODS, THESIS
from ..numbers.data import surface
from ..numbers.judged import intervals
from ..numbers.tables import PAIRS
from .drawing import GREY, PLAIN, WOVEN, log_axis, panels, width_axis
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


def data(table: pd.DataFrame) -> Figure:
    """The cases and the surface that they were taken from (Figs. 5.1 and 5.2)."""
    figure, (ax,) = panels(1, 1, height=3.6)
    at = np.linspace(-1, 1, 61)
    x, y = np.meshgrid(at, at)
    limits: dict[str, Any] = {
        "vmin": float(surface(x, y).min()),
        "vmax": float(surface(x, y).max()),
    }
    filled = ax.contourf(x, y, surface(x, y), levels=20, cmap="viridis", **limits)
    shown: dict[str, Any] = {"c": table["target"], "edgecolor": "white", "s": 60, "cmap": "viridis"}
    ax.scatter(table["x"], table["y"], label="targets of the cases", **shown, **limits)
    ax.set(xlabel="$x$", ylabel="$y$")
    ax.legend(fontsize=8, loc="lower left", labelcolor="white")
    figure.colorbar(filled, ax=ax, label="$f(x, y)$, and targets")
    return figure


def shares(table: pd.DataFrame) -> Figure | None:
    """Share of the region G against width (Table 5.9), the thesis's beside ours."""
    if table.empty:
        return None
    figure, (ax,) = panels(1, 1, height=3.1)
    lines = (
        ("thesis", "its error", "thesis", GREY, "x"),
        ("p", "error", "plain master runs", PLAIN, "o"),
        ("p interweaved", "error interweaved", "interweaved master runs", WOVEN, "s"),
    )
    for i, (name, error, label, colour, marker) in enumerate(lines):
        if table[name].notna().any():
            x = 1.02 ** (i - 1) * table["hidden units"]
            style: dict[str, Any] = {
                "color": colour,
                "marker": marker,
                "linestyle": "none",
                "capsize": 2,
            }
            ax.errorbar(x, table[name], table[error], label=label, **style)
    width_axis(ax, list(table["hidden units"]))
    ax.set_ylabel("share of G")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize=8)
    return figure


def _both(ax: Axes, rows: pd.DataFrame, column: str, method: str) -> None:
    """Draw the thesis's numbers, of its variances and as printed, and ours with intervals."""
    widths = rows["hidden units"]
    ax.plot(widths, rows["thesis recomputed"], "--", marker="x", color="black", label="thesis")
    ax.plot(widths, rows["thesis printed"], "+", color=GREY, label="as printed")
    found = intervals(rows, column, "low", "high")
    error_bars(ax, dict(zip(widths, found, strict=True)), method, "here, 90% interval")
    width_axis(ax, list(widths))
