"""The pictures of the page."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from ...pages.drawing import WIDTH
from ...pages.sections import Picture
from ...reproduction.results import Results
from ..design.budgets import Budget, Exchange
from ..design.printed import UNINFORMED
from ..design.sweeps import Sweep
from ..runs.stages import exchange_key, sweep_key

COLOURS = {50: "#d55e00", 500: "#0072b2", 2500: "#009e73", 5000: "#cc79a7"}
STYLES = {"cooling": "-", "heating": "--"}
DECADES = 5.0  # ratio of values from which an axis is logarithmic
AT_INFINITY = 3.0  # factor beyond the hottest finite temperature, where the prior is drawn


def panels(columns: int, height: float, **options: Any) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as a page."""
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False, **options)[0]


def errors(table: pd.DataFrame) -> Figure | None:
    """Draw training and test errors against temperature, for each number of cases."""
    if table.empty:
        return None
    figure, axes = panels(2, 3.6, sharey=False)
    for ax, name in zip(axes, ("training error", "test error"), strict=True):
        _curves(ax, table, name)
        ax.set_title(name)
        ax.set_ylabel("nats per case")
    ax = axes[1]
    for cases, rows in table.groupby("cases"):
        if np.isfinite(rows["minimised"]).all():
            ax.axhline(rows["minimised"].iloc[0], color=COLOURS[int(cases)], lw=0.9, ls="-.")
    ax.axhline(UNINFORMED, color="#555555", lw=0.9, ls=":")
    _key(figure, ax, table, minimised=bool(np.isfinite(table["minimised"]).any()))
    return figure


def _curves(ax: Axes, table: pd.DataFrame, name: str) -> None:
    finite = table["temperature"][np.isfinite(table["temperature"])]
    for (cases, direction), rows in table.groupby(["cases", "direction"]):
        rows = rows.sort_values("temperature")
        colour, style = COLOURS[int(cases)], STYLES[str(direction)]
        inside = rows[np.isfinite(rows["temperature"])]
        ax.plot(inside["temperature"], inside[name], style, color=colour)
        prior = rows[~np.isfinite(rows["temperature"])]
        ax.plot([AT_INFINITY * finite.max()] * len(prior), prior[name], "o", color=colour)
    ax.set_xscale("log")
    if table[name].max() > DECADES * table[name].min():
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=20))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("temperature (dots: the prior)")


def _key(figure: Figure, ax: Axes, table: pd.DataFrame, minimised: bool = False) -> None:
    lines = [
        ax.plot([], [], color=COLOURS[int(cases)], label=f"{cases} cases")[0]
        for cases in sorted(table["cases"].unique())
    ]
    lines += [
        ax.plot([], [], style, color="#555555", label=way)[0] for way, style in STYLES.items()
    ]
    if minimised:
        lines.append(ax.plot([], [], "-.", color="#555555", label="minimised")[0])
    lines.append(ax.plot([], [], ":", color="#555555", label="equal probabilities")[0])
    figure.legend(handles=lines, loc="outside lower center", ncols=4)


def averaged(table: pd.DataFrame) -> Figure | None:
    """Draw errors of averaged probabilities, and heat capacities, against temperature."""
    if table.empty:
        return None
    figure, axes = panels(2, 3.6)
    names = {"predictive": "error of averaged probabilities", "heat capacity": "heat capacity"}
    for ax, (name, title) in zip(axes, names.items(), strict=True):
        _curves(ax, table, name)
        ax.set_title(title)
    axes[0].set_ylabel("nats per case")
    axes[1].set_ylabel(r"variance of $E$ over $T^2$")
    axes[0].axhline(UNINFORMED, color="#555555", lw=0.9, ls=":")
    _key(figure, axes[0], table)
    return figure


def walk(results: Results[Budget]) -> Figure | None:
    """Draw energies of all temperatures of a ladder, and how replicas walk through it."""
    there: list[tuple[Exchange | Sweep, xr.Dataset | None]]
    there = [(one, results.load(exchange_key(one))) for one in results.budget.exchanges]
    there += [
        (sweep, results.load(sweep_key(sweep, "heating", 0)))
        for sweep in results.budget.sweeps
        if sweep.ladder is not None
    ]
    found = [(one, result) for one, result in there if result is not None]
    if not found:
        return None
    declared, result = found[0]
    figure, axes = panels(2, 3.4)
    count = result.sizes["temperature"]
    shades = plt.get_cmap("viridis")(np.linspace(0, 0.92, count))
    for i in range(count):
        energy = result["energy"].transpose("draw", "temperature").to_numpy()[:, i]
        axes[0].plot(energy / declared.cases, color=shades[i], lw=0.8)
    axes[0].set_yscale("log")
    axes[0].set_ylabel("training error, nats per case")
    replica = result["replica"].transpose("draw", "temperature").to_numpy()
    temperature = result["temperature"].to_numpy()
    for one in np.unique(replica)[:: max(1, count // 5)]:
        draws, places = np.nonzero(replica == one)
        axes[1].plot(draws, temperature[places], lw=1.0)
    axes[1].set_yscale("log")
    axes[1].set_ylabel("temperature of some replicas")
    for ax in axes:
        ax.set_xlabel("draw")
    return figure


WALK = Picture(
    "walk",
    "Energies at all temperatures of the first ladder that begins at a minimum, cold ones dark "
    "(Fig. 2), and walks of replicas.",
    walk,
)
FIGURE_3 = Picture(
    "figure_3",
    "Training and test error of draws of M(3) against temperature (Fig. 3).",
    errors,
)
FIGURE_4 = Picture(
    "figure_4",
    "Training and test error of draws of M(3*) against temperature (Fig. 4).",
    errors,
)
AVERAGED = Picture(
    "averaged",
    "M(3): errors where probabilities are averaged over draws, and heat capacity. Where energies "
    "still fall, as chains have not arrived, that looks like heat.",
    averaged,
)
