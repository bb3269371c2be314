"""The three plots by which trajectories are chosen (Neal 1995, Figs. 3.3, 3.4 and 3.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from .correlations import SMALL
from .rule import LARGE_ERROR

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREY = "#0072b2", "#d55e00", "#999999"


def draw(
    energies: xr.Dataset,
    along: xr.Dataset,
    lengths: xr.Dataset,
    factor: float | None,
    length: int | None,
) -> Figure:
    """Draw what the choice of trajectories rests on.

    Parameters
    ----------
    energies, along, lengths : Dataset
        As of :class:`.choice.TrajectoryChoice`; the last two are empty where no factor is stable.
    factor, length : float and int, optional
        What was chosen.

    Returns
    -------
    Figure
    """
    import matplotlib.pyplot as plt  # takes a second, which no draw needs to wait for

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    _errors(axes[0], energies, factor)
    if factor is not None:
        _along(axes[1], along)
        _lengths(axes[2], lengths, length)
    return figure


def _errors(ax: Axes, energies: xr.Dataset, chosen: float | None) -> None:
    factors = energies["factor"].values
    errors = energies["error"].transpose("factor", ...).values.reshape(len(factors), -1)
    spread = np.exp(np.linspace(-0.06, 0.06, errors.shape[1]))  # points beside each other
    shown = np.clip(errors, -LARGE_ERROR, LARGE_ERROR)
    ax.plot((factors[:, None] * spread).ravel(), shown.ravel(), ".", ms=2, alpha=0.4, color=BLUE)
    if chosen is not None:
        ax.axvline(chosen, color=RED, lw=0.8, ls="--")
    ax.set_xscale("log")
    ax.set_xticks(factors, [f"{one:g}" for one in factors], rotation=60)
    ax.minorticks_off()
    ax.set_xlabel(r"step size adjustment factor $\eta$")
    ax.set_ylabel("change of the energy")


def _along(ax: Axes, along: xr.Dataset) -> None:
    half = along.isel(lag=slice(1, along.sizes["lag"] // 2))
    names = half["quantity"].values
    labelled = set()
    for name in names:
        kind = "sizes of groups" if str(name).startswith("size") else "outputs"
        colour, label = (RED if kind != "outputs" else BLUE), None if kind in labelled else kind
        labelled.add(kind)
        correlation = half["autocorrelation"].sel(quantity=name)
        ax.plot(half["lag"], correlation, color=colour, lw=0.9, label=label)
    ax.axhline(SMALL, color=GREY, lw=0.6)
    ax.set_xscale("log")
    ax.set_xlabel("leapfrogs of one trajectory")
    ax.set_ylabel("autocorrelation")
    ax.legend(frameon=False)


def _lengths(ax: Axes, lengths: xr.Dataset, chosen: int | None) -> None:
    at = lengths["length"].values
    each = lengths["per_million"].transpose("length", "chain").values
    ax.plot(at, each, ".", color=GREY, ms=3)
    ax.plot(at, np.exp(np.log(each).mean(axis=1)), "o-", color=BLUE)
    if chosen is not None:
        ax.axvline(chosen, color=RED, lw=0.8, ls="--")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xticks(at, [str(one) for one in at])
    ax.minorticks_off()
    ax.set_xlabel("leapfrogs of a trajectory, L")
    ax.set_ylabel("effective draws, slowest quantity,\nper million passes")
