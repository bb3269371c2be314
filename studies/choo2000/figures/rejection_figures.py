"""Rejections and energies: Choo (2000, Figs. 6.2-6.7), and split samplers that stay flat."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..numbers.results import Results, with_interval
from ..runs.rejections import Curve
from .drawing import COLOURS, legend_below, panels

CURVES = {
    "Gibbs": COLOURS["gibbs"],
    "Dynamical A": COLOURS["dynamical_a"],
    "A, precisions 1/10": "#7f5f00",
    "A, smaller steps": "#f0c75e",
    "A, tethered": COLOURS["tethered_a"],
    "Dynamical B": COLOURS["dynamical_b"],
    "B, posterior estimates": COLOURS["estimated_b"],
    "B, posterior estimates, 1/10": "#00503a",
}
LARGE = 50.0  # change of the energy that asks for a logarithmic axis
CYCLE = ("#d55e00", "#0072b2", "#009e73", "#cc79a7")
TITLES = {
    "6.2": "6.2: 20 hidden units",
    "6.5": r"6.5: Dynamical B, 8 units, $\eta$ = 0.01",
    "6.6": r"6.6: Dynamical B, 16 units, $\eta_h/\eta_p$ = 1 and 1/100",
    "6.7": r"6.7: Dynamical B, 8 units, $\eta$ = 0.2",
}


def rejections(results: Results) -> Figure | None:
    """Rejection rate against the length of trajectories (Figs. 6.2 and 6.5-6.7)."""
    found = [(curve, rates) for curve, rates in results.curves() if curve.figure in TITLES]
    if not found:
        return None
    numbers = [number for number in TITLES if any(c.figure == number for c, _ in found)]
    rows = -(-len(numbers) // 2)
    figure, axes = panels(rows, 2, height=0.4 + 2.7 * rows, sharey=True)
    for ax, number in zip(axes, numbers, strict=False):
        shown = [(curve, rates) for curve, rates in found if curve.figure == number]
        for (curve, rates), cycled in zip(shown, CYCLE, strict=False):
            _curve(ax, results, curve, rates, CURVES.get(curve.title, cycled))
        ax.set_title(TITLES[number])
        ax.legend(fontsize=8, loc="best")
    for ax in axes[len(numbers) :]:
        ax.axis("off")
    _label(axes, 2)
    return figure


def rejections_beyond(results: Results) -> Figure | None:
    """Rejection rate against the length of trajectories of all samplers at all widths."""
    found = [(curve, rates) for curve, rates in results.curves() if curve.figure == "beyond"]
    if not found:
        return None
    widths = sorted({curve.width for curve, _ in found})
    columns = min(2, len(widths))
    rows = -(-len(widths) // columns)
    figure, axes = panels(rows, columns, height=0.8 + 2.6 * rows, sharex=True, sharey=True)
    for ax, width in zip(axes, widths, strict=False):
        for curve, rates in found:
            if curve.width == width:
                _curve(ax, results, curve, rates, CURVES[curve.title])
        ax.set_title(f"{width} hidden units")
    _label(axes, columns)
    legend_below(figure, axes[0], 3)
    return figure


def _curve(ax: Axes, results: Results, curve: Curve, rates: xr.Dataset, colour: str) -> None:
    at = results.rejection(curve.width, rates["rejection"])
    intervals = [with_interval(column) for column in at.T]
    y = np.array([interval.value for interval in intervals])
    low, high = (np.array([getattr(i, end) for i in intervals]) for end in ("low", "high"))
    lengths = rates["n_leapfrog"].to_numpy()
    ax.plot(lengths, y, "o-", color=colour, label=curve.title)
    ax.fill_between(lengths, low, high, color=colour, alpha=0.15, linewidth=0)
    ax.set_xscale("log")


def _label(axes: list[Axes], columns: int) -> None:
    for i, ax in enumerate(axes):
        if i >= len(axes) - columns:
            ax.set_xlabel("leapfrog steps $l$")
        if i % columns == 0:
            ax.set_ylabel("rejection rate")
        ax.set_ylim(-0.02, 1.02)


def energies(results: Results) -> Figure | None:
    """Total energy along trajectories of Dynamical B, and its spread (Figs. 6.3 and 6.4)."""
    found = results.load("energies")
    if found is None:
        return None
    energy, steps = found["energy"].to_numpy(), found["step"].to_numpy()
    figure, axes = panels(1, 2, height=3.3, width_ratios=(1.5, 1))
    change = energy - energy[:, :1]
    for path in change[:10]:
        axes[0].plot(steps, path, linewidth=0.8)
    large = bool(np.nanmax(np.abs(change[:, 1:]), initial=0) > LARGE)
    if large:
        axes[0].set_yscale("symlog", linthresh=10)
        axes[1].set_xscale("symlog", linthresh=10)
    axes[0].set(xlabel="leapfrog steps", ylabel="$H - H_0$", title="10 trajectories from one state")
    at = [round(part * (steps.size - 1)) for part in (0.05, 0.25, 0.5, 1.0)]
    for index, shade in zip(at, (0.25, 0.5, 0.75, 1.0), strict=True):
        ended = np.sort(np.where(np.isfinite(change[:, index]), change[:, index], np.inf))
        share = np.arange(1, ended.size + 1) / ended.size
        label = f"after {steps[index]}"
        axes[1].step(ended, share, where="post", color="#0072b2", alpha=shade, label=label)
    axes[1].set(xlabel="$H - H_0$", ylabel="share of trajectories below", ylim=(0, 1.02))
    axes[1].set_title(f"{energy.shape[0]} trajectories")
    axes[1].legend(fontsize=8, loc="lower right")
    return figure
