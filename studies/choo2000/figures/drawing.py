"""What all figures of the study have in common."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from ...pages.drawing import WIDTH
from ..design.methods import METHODS, RECOMMENDED

_COLOURS = "#d55e00 #e69f00 #cc79a7 #0072b2 #56b4e9 #7f7f7f #009e73 #000000"
COLOURS = dict(zip(METHODS, _COLOURS.split(), strict=True))
MARKERS = dict(zip(METHODS, "o^svDXP*", strict=True))
PLAIN, WOVEN = COLOURS["gibbs"], COLOURS[RECOMMENDED]
GREY = "#8a8f98"
LETTERS = {"delta": r"\delta", **{letter: letter for letter in "uvab"}}
SYMBOLS = {name: rf"$\log\,\sigma_{{{letter}}}$" for name, letter in LETTERS.items()}
VARIANCES = {name: rf"$\rho_{{{letter}}}$" for name, letter in LETTERS.items()}


def panels(rows: int, columns: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """Make a figure as wide as a page with panels, row by row.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.figures.drawing import panels
    >>> len(panels(2, 3, height=4)[1])
    6
    """
    figure = plt.figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.flat)


def width_axis(ax: Axes, widths: list[int]) -> None:
    """Mark the numbers of hidden units on a logarithmic axis."""
    ax.set_xscale("log", base=2)
    ax.set_xticks(widths, [str(width) for width in widths])
    ax.minorticks_off()
    ax.set_xlabel("hidden units")


def log_axis(ax: Axes) -> None:
    """Make the vertical axis logarithmic, with readable numbers even within a decade."""
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.margins(y=0.12)


def legend_below(figure: Figure, ax: Axes, columns: int) -> None:
    """Put one legend for all panels below them."""
    handles, labels = ax.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
