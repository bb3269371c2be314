"""The pictures of the last networks of a run: Figures 4 and 5."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from ...pages.sections import Picture
from ...reproduction.results import Results
from ...tables.robot_arm import arm_position, robot_arm_grid
from ..design.budgets import Budget
from ..numbers.beside import typical
from ..numbers.tables import cooled
from ..runs.predicting import GRID_SIDE
from ..runs.stages import cooled_key
from .pictures import COLOURS, panels

STEP = 2  # of the points of the grid, which would hide each other
REACH = 4.5  # of positions; an arm has a length of 3.3
TRAINING, TEST, AVERAGED = "#555555", COLOURS["plain"], COLOURS["annealed"]


def _typical_run(results: Results[Budget]) -> xr.Dataset | None:
    """The run with the median test error of those that are there."""
    table = cooled(results)
    return None if table.empty else results.load(cooled_key(typical(table)))


def last_errors(results: Results[Budget]) -> Figure | None:
    """Draw errors of the last networks of a run, and of their averaged predictions (Fig. 4)."""
    found = _typical_run(results)
    if found is None:
        return None
    count = found.sizes["kept"]
    figure, axes = panels(1, 2.9)
    iterations = np.arange(1, count + 1)
    lines = {
        "training, one network": (found["training"][-count:], TRAINING, "-"),
        "test, one network": (found["each"], TEST, ":"),
        "test, averaged so far": (found["averaged"], AVERAGED, "--"),
    }
    for label, (errors, colour, style) in lines.items():
        axes[0].plot(iterations, errors, color=colour, ls=style, lw=1.2, label=label)
    axes[0].set_xlabel("of the last iterations")
    axes[0].set_ylabel("squared error of a case")
    axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=len(lines))
    return figure


def uncertainty(results: Results[Budget]) -> Figure | None:
    """Draw the outputs of some networks for a grid of cases, in the space of outputs (Fig. 5)."""
    found = _typical_run(results)
    if found is None:
        return None
    points = robot_arm_grid(GRID_SIDE)
    truth, inside = arm_position(points).to_numpy(), points["inside"].to_numpy()
    row, column = np.divmod(np.arange(len(points)), GRID_SIDE)
    some = (row % STEP == 0) & (column % STEP == 0)
    figure, axes = panels(2, 3.4, sharey=True)
    for ax, here, title in zip(
        axes, (inside, ~inside), ("where training cases are", "elsewhere"), strict=True
    ):
        for i in np.flatnonzero(here & some):
            dots = found["grid"].isel(point=i).to_numpy()
            ax.plot(*dots.T, ".", ms=2, alpha=0.5)
            ax.plot(*truth[i], "o", mfc="none", color="black", ms=5, mew=0.8)
        ax.set_title(title)
        ax.set_xlim(-REACH, REACH)
        ax.set_ylim(-REACH, REACH)
        ax.set_xlabel("$y_1$")
    axes[0].set_ylabel("$y_2$")
    return figure


FIGURE_4_PICTURE = Picture(
    "figure_4",
    "Errors of the networks of the last iterations of the run whose test error is the median of "
    "all, the lower of two in the middle, and of their averaged predictions (Fig. 4); the truth "
    "has 0.005.",
    last_errors,
)
FIGURE_5_PICTURE = Picture(
    "figure_5",
    "Outputs of every second network of the last iterations of the same run (dots) for every "
    "second point of the grid in each direction, and the true positions (circles; Fig. 5).",
    uncertainty,
)
