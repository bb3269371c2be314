"""The pictures of chapters 3 and 4."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import t as student

from ....samplers.trajectories.correlations import autocorrelation
from ...pages.drawing import WIDTH
from ...pages.sections import Picture
from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.networks import MAGNITUDES
from ..design.settings import INITIAL, LENGTHS
from ..numbers.tables import SETTLED
from ..runs.initial import initial_key
from ..runs.sampling import sampling_key

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555")
GREY = "#999999"
LEAST_SHOWN = 0.1  # of a mean, where logarithms have no room for the lower end of its bar


def panels(columns: int, height: float, **options: Any) -> tuple[Figure, np.ndarray]:
    """Make a figure as wide as a page."""
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False, **options)[0]


def progress(results: Results[Budget]) -> Figure | None:
    """Draw training errors with bands (Fig. 3.2)."""
    there = [results.load(initial_key(k)) for k in range(results.budget.runs)]
    found = [one["training"].to_numpy() for one in there if one is not None]
    if not found:
        return None
    figure, axes = panels(1, 3.4)
    for i, length in enumerate(INITIAL):
        runs = np.array([one[i] for one in found])
        low, middle, high = np.quantile(runs, (0.1, 0.5, 0.9), axis=0)
        at = 1 + np.arange(runs.shape[1])
        axes[0].plot(at, middle, color=COLOURS[i], label=f"L = {length}")
        axes[0].fill_between(at, low, high, color=COLOURS[i], alpha=0.15, lw=0)
    axes[0].set_xscale("log")
    axes[0].set_yscale("log")
    axes[0].set_xlabel("super-transitions of 1024 leapfrogs")
    axes[0].set_ylabel("squared error of a training case")
    axes[0].legend()
    return figure


def energy_errors(results: Results[Budget]) -> Figure | None:
    """Draw errors in the energy (Fig. 3.3)."""
    there = [results.load(f"errors-{k}") for k in range(results.budget.along)]
    found = [one for one in there if one is not None]
    if not found:
        return None
    figure, axes = panels(1, 3.0)
    eta = np.concatenate([one["eta"].to_numpy() for one in found])
    error = np.concatenate([one["error"].to_numpy() for one in found])
    shown = np.minimum(np.nan_to_num(error, nan=np.inf), 10.0)
    axes[0].plot(eta, shown, ".", ms=2, alpha=0.25, color=COLOURS[0], rasterized=True)
    axes[0].axvline(0.5, color=GREY, lw=0.8, ls=":")
    axes[0].axvline(0.3, color=GREY, lw=0.8, ls="--")
    axes[0].set_xscale("log")
    axes[0].set_xticks([0.05, 0.1, 0.2, 0.3, 0.5, 1.0], ["0.05", "0.1", "0.2", "0.3", "0.5", "1"])
    axes[0].minorticks_off()
    axes[0].set_ylim(-6, 10.5)
    axes[0].set_xlabel(r"step size adjustment factor $\eta$")
    axes[0].set_ylabel("change of the energy")
    return figure


def one_trajectory(results: Results[Budget]) -> Figure | None:
    """Draw an output and the magnitudes along a trajectory (Fig. 3.4)."""
    if (one := results.load("along-0")) is None:
        return None
    figure, axes = panels(2, 2.9)
    found = one["found"].to_numpy()
    at = 100 * np.arange(len(found))
    axes[0].plot(at, found[:, -1], color=COLOURS[0], lw=0.9)
    axes[0].set_ylabel("first output at (-1.47, 0.75)")
    for i, name in enumerate(MAGNITUDES):
        axes[1].plot(at, np.exp(found[:, i]), color=COLOURS[i], lw=0.9, label=name)
    axes[1].set_yscale("log")
    axes[1].set_ylabel("root mean square")
    axes[1].legend()
    for ax in axes:
        ax.set_xlabel("leapfrogs")
    return figure


def phases(results: Results[Budget]) -> Figure | None:
    """Draw magnitudes in the sampling phase (Fig. 3.5)."""
    lengths = (125, 2000, 32_000)
    there = {n: results.load(sampling_key(0, n, False)) for n in lengths}
    if any(one is None for one in there.values()):
        return None
    figure, axes = panels(3, 3.0, sharey=True)
    for ax, (length, one) in zip(axes, there.items(), strict=True):
        for i, name in enumerate(MAGNITUDES):
            ax.plot(np.exp(one["found"].to_numpy()[:, i]), color=COLOURS[i], lw=0.9, label=name)
        ax.set_yscale("log")
        ax.set_title(f"L = {length}")
        ax.set_xlabel("super-transitions")
    axes[0].set_ylabel("root mean square")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def correlations(results: Results[Budget]) -> Figure | None:
    """Draw autocorrelations by length of trajectories (Fig. 3.6)."""
    figure, axes = panels(3, 3.0, sharey=True)
    drawn = False
    for colour, length in zip(COLOURS, LENGTHS, strict=True):
        keys = [sampling_key(k, length, False) for k in range(results.budget.chains)]
        there = [results.load(key) for key in keys]
        series = [one["found"].to_numpy() for one in there if one is not None]
        if not series:
            continue
        drawn = True
        each = [autocorrelation(one[int(SETTLED * len(one)) :]) for one in series]
        mean = np.mean(each, axis=0)[:21]
        for i, ax in enumerate(axes):
            ax.plot(mean[:, i], color=colour, label=f"L = {length}")
    for ax, name in zip(axes, MAGNITUDES, strict=True):
        ax.axhline(0, color=GREY, lw=0.6)
        ax.set_title(name)
        ax.set_xlabel("lag, super-transitions")
    axes[0].set_ylabel("autocorrelation")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure if drawn else None


def compared(table: pd.DataFrame) -> Figure | None:
    """Draw effective draws of all settings."""
    figure, axes = panels(1, 5.2)
    names = [f"{row.method}: {row.setting}" for row in table.itertuples()]
    order = {name: i for i, name in enumerate(table["method"].unique())}
    for name, rows in table.groupby("method", sort=False):
        at = [names[i] for i in rows.index]
        colour = COLOURS[order[str(name)] % len(COLOURS)]
        axes[0].plot(rows["per million"], at, "o", color=colour)
    axes[0].invert_yaxis()
    axes[0].set_xscale("log")
    axes[0].tick_params(axis="y", labelsize=8)
    axes[0].grid(axis="x", which="both", lw=0.3)
    axes[0].set_xlabel("effective draws of the slowest quantity per million gradients")
    return figure


def by_width(table: pd.DataFrame) -> Figure | None:
    """Draw errors by width."""
    figure, axes = panels(1, 2.9)
    networks, limits = (table[table["way"] == way] for way in ("network", "limit"))
    both_priors = networks[(networks["units"] == 16) & (networks["prior"] == "scaled")]
    for colour, (prior, rows) in zip(COLOURS, networks.groupby("prior", sort=False), strict=False):
        both = pd.concat([rows, both_priors]) if prior == "unscaled" else rows
        both = both.sort_values("units")
        for _, limit in limits[limits["prior"] == prior].iterrows():
            axes[0].axhline(limit["excess"], color=colour, ls="--", lw=1.0)
        half = student.isf(0.025, both["n"] - 1) * both["± excess"]
        axes[0].errorbar(
            both["units"],
            both["excess"],
            [half.clip(upper=(1 - LEAST_SHOWN) * both["excess"]), half],
            fmt="o-",
            color=colour,
            label=prior,
        )
    axes[0].set_xscale("log", base=2)
    axes[0].set_yscale("log")
    axes[0].set_xlabel("hidden units")
    axes[0].set_ylabel("excess error, MacKay's scale; 95%")
    axes[0].legend()
    return figure


PROGRESS = Picture(
    "figure_3_2", "Training errors in the initial phase, median and 80% of the runs.", progress
)
ERRORS = Picture(
    "figure_3_3",
    "Change of the energy by factor, all data sets; changes above 10 are drawn at 10. The thesis "
    "calls factors above 0.5 (dotted) unstable and takes 0.3 (dashed).",
    energy_errors,
)
ALONG = Picture("figure_3_4", "One trajectory of 10 000 leapfrogs.", one_trajectory)
PHASES = Picture("figure_3_5", "The sampling phase on the first data set.", phases)
CORRELATIONS = Picture(
    "figure_3_6", "Autocorrelations of magnitudes, mean over data sets.", correlations
)
COMPARED = Picture("methods", "All settings of all methods, geometric means.", compared)
WIDTHS = Picture(
    "widths",
    "Errors by width, means over all data sets; dashed: the limit, for the unscaled prior that of "
    "the widest. A bar that would reach zero ends at a tenth of its mean.",
    by_width,
)
