"""The pictures of the page."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ...pages.drawing import WIDTH
from ...pages.sections import Picture
from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.printed import BEST_CELL
from ..design.schedules import FIGURE_2, Cell
from ..runs.stages import cell_key, cooled_key

COLOURS = {"annealed": "#0072b2", "plain": "#d55e00"}
UNIT, TICKS = 1e-4, (0.25, 0.5, 1.0, 2.0)  # of step sizes
MOST = 8  # runs of experiment 2 that are drawn
COOLING = slice(20, 700)


def panels(columns: int, height: float, **options: Any) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as a page."""
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False, **options)[0]


def failures(table: pd.DataFrame) -> Figure | None:
    """Draw rates of failures with their intervals (Fig. 1)."""
    if table.empty:
        return None
    spreads = sorted(table["spread"].unique())
    figure, axes = panels(len(spreads), 2.9, sharey=True)
    for ax, spread in zip(axes, spreads, strict=True):
        for shift, (way, colour) in zip((0.98, 1.02), COLOURS.items(), strict=True):
            rows = table[(table["spread"] == spread) & (table["way"] == way)]
            rate = rows["failed %"]
            bars = [rate - rows["from %"], rows["to %"] - rate]
            at = shift * rows["step size"] / UNIT
            ax.errorbar(at, rate, bars, fmt="o-", color=colour, label=way)
        if np.isclose(spread, BEST_CELL[1]):
            ax.axvline(BEST_CELL[0] / UNIT, color="#555555", lw=0.8, ls=":")
        ax.set_xscale("log")
        ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        ax.minorticks_off()
        ax.set_title(f"spread {spread:g}")
        ax.set_xlabel(r"median step size $\epsilon_0$, $10^{-4}$")
    axes[0].set_ylabel("failed runs, %")
    axes[0].set_ylim(0, 100)
    axes[-1].legend()
    return figure


def progress(results: Results[Budget]) -> Figure | None:
    """Draw training errors by iteration (Fig. 2)."""
    found = {way: results.load(cell_key(Cell(way == "annealed", *FIGURE_2))) for way in COLOURS}
    if any(one is None for one in found.values()):
        return None
    figure, axes = panels(2, 2.9, sharey=True)
    for ax, (way, one) in zip(axes, found.items(), strict=True):
        errors = one["training"].transpose("iteration", "run").to_numpy()
        ax.plot(errors, color=COLOURS[way], lw=0.8, alpha=0.8)
        ax.set_yscale("log")
        ax.set_title(way)
        ax.set_xlabel("iteration")
    axes[0].set_ylabel("squared error of a training case")
    return figure


def cooling(results: Results[Budget]) -> Figure | None:
    """Draw energies against temperatures (Fig. 3)."""
    numbers = range(min(MOST, results.budget.cooled))
    there = [results.load(cooled_key(number)) for number in numbers]
    found = [one for one in there if one is not None]
    if not found:
        return None
    figure, axes = panels(1, 3.6)
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(found)))
    for shade, one in zip(shades, found, strict=True):
        kept = one.isel(iteration=COOLING)
        axes[0].plot(kept["temperature"], kept["energy"], color=shade, lw=0.8)
    axes[0].set_xscale("log")
    axes[0].invert_xaxis()
    axes[0].set_xlabel("temperature, measured from the momentum")
    axes[0].set_ylabel("potential energy, nats (Eq. 34)")
    return figure


def excesses(table: pd.DataFrame) -> Figure | None:
    """Draw the excess of each way with its standard error."""
    if table.empty:
        return None
    figure, axes = panels(1, 2.6)
    rows = table[table["excess"] < 4 * table["excess"].min()]
    axes[0].errorbar(rows["excess"], rows["way"], xerr=1.96 * rows["± excess"], fmt="o")
    axes[0].axvline(40.0, color="#555555", lw=0.8, ls=":")
    axes[0].invert_yaxis()
    axes[0].set_xlabel("excess error over the truth, MacKay's scale; 95%")
    return figure


FIGURE_1_PICTURE = Picture(
    "figure_1",
    "Failed runs of experiment 1 by median and spread of step sizes, with 95% intervals by data "
    "set (Fig. 1); the dotted line is at the report's best cell.",
    failures,
)
FIGURE_2_PICTURE = Picture(
    "figure_2",
    "Training errors by iteration, median step size 0.71e-4 and spread 0.50 (Fig. 2).",
    progress,
)
FIGURE_3_PICTURE = Picture(
    "figure_3", "Energy against measured temperature while runs are cooled (Fig. 3).", cooling
)
EXCESS_PICTURE = Picture(
    "excess",
    "Nineteen units: excess of each way over data sets; the dotted line is the target of 40. Ways "
    "with more than four times the least are left out.",
    excesses,
)
