"""The pictures of chapter 2: functions from priors beside their limits."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ....models import limiting_covariance
from ...pages.sections import Picture
from ...reproduction.results import Results
from ...silence import without_pymcs_words
from ..design.budgets import Budget
from ..runs.functions import FAMILIES, GRID, SHOWN, UNITS, Family, prior_network
from ..runs.stable import STABLE
from . import functions
from .judgements import WITHIN, most_by_chance
from .pictures import COLOURS, GREY, panels

MANY = 1000  # units
AT = np.linspace(-2.0, 2.0, GRID)
BAND = 2.0  # standard deviations of the limit
SHIFT = 0.25  # of points beside each other


def limit_of(family: Family) -> np.ndarray:
    """Covariance of the functions of a family in the limit of many units."""
    with without_pymcs_words():
        return limiting_covariance(prior_network(family), AT[:, None])


def draw_limit(family: Family) -> np.ndarray:
    """Draw functions from the Gaussian process that a family has as its limit."""
    rng = np.random.default_rng(0)
    # by eigenvalues, as rounding makes some of them negative
    values, vectors = np.linalg.eigh(limit_of(family))
    return rng.standard_normal((SHOWN, GRID)) * np.sqrt(values.clip(0.0)) @ vectors.T


def beside_limits(
    results: Results[Budget], some: Sequence[Family], titles: Sequence[str], limit: bool
) -> Figure | None:
    """Draw functions of families, each with a band of its limit, and functions of the last's."""
    there = [results.load(family.key) for family in some]
    if any(one is None for one in there):
        return None
    figure, axes = panels(len(some) + limit, 2.5, sharey=True)
    for ax, family, one, title in zip(axes, some, there, titles, strict=False):
        _drawn(ax, family, one["functions"].to_numpy(), title)
    if limit:
        _drawn(axes[-1], some[-1], draw_limit(some[-1]), "limit")
    axes[0].set_ylabel("output")
    return figure


def _drawn(ax: Axes, family: Family, found: np.ndarray, title: str) -> None:
    spread = BAND * np.sqrt(np.diag(limit_of(family)))
    ax.fill_between(AT, -spread, spread, color=GREY, alpha=0.2, lw=0)
    ax.plot(AT, found.T, lw=0.9)
    ax.set_title(title)
    ax.set_xlabel("input")


def drawn_functions(results: Results[Budget]) -> Figure | None:
    """Draw functions of networks of all widths, and of the limit."""
    some = [f for f in FAMILIES if f.activation == "tanh" and len(f.hidden) == 1]
    titles = [f"{family.hidden[0]:,} units" for family in some]
    return beside_limits(results, some, titles, limit=True)


def drawn_layers(results: Results[Budget]) -> Figure | None:
    """Draw functions of networks of one to three layers."""
    some = [f for f in FAMILIES if f.activation == "tanh"]
    deep = [f for f in some if len(f.hidden) > 1]
    titles = [f"{len(f.hidden)} layers{', direct' if f.skip else ''}" for f in deep]
    one = next(f for f in some if f.hidden == (MANY,))
    return beside_limits(results, [one, *deep], ["1 layer", *titles], limit=False)


def covariances(results: Results[Budget]) -> Figure | None:
    """Draw the differences of all covariances to their limits, in standard errors."""
    there = [results.load(family.key) for family in FAMILIES]
    if any(one is None for one in there):
        return None
    figure, axes = panels(len(UNITS), 3.3, sharey=True)
    count = sum(one.sizes["pair"] for one in there)
    for ax, units, colour in zip(axes, UNITS, COLOURS, strict=False):
        some = [f for f in FAMILIES if f.activation == units]
        for place, family in enumerate(some):
            z = results.load(family.key)["z"].to_numpy()
            at = place + SHIFT * np.linspace(-1, 1, z.size)
            ax.plot(at, z, ".", ms=3, color=colour)
        for size, style in ((WITHIN, "--"), (most_by_chance(count), ":")):
            for end in (-size, size):
                ax.axhline(end, color=GREY, lw=0.9, ls=style)
        ax.set_xticks(range(len(some)), [_called(f) for f in some], rotation=90, fontsize=8)
        ax.set_title(units)
        ax.set_xlabel("hidden units")
    axes[0].set_ylabel("difference to the limit,\nstandard errors")
    return figure


def _called(family: Family) -> str:
    sizes = " x ".join(f"{n:,}" for n in family.hidden)
    return f"{sizes}{', direct' if family.skip else ''}"


def stable_functions(results: Results[Budget]) -> Figure | None:
    """Draw functions of steps with stable and normal weights."""
    some = [family for family in STABLE if family.units == MANY]
    there = [results.load(family.key) for family in some]
    if any(one is None for one in there):
        return None
    figure, axes = panels(len(some), 2.5)
    for ax, family, one in zip(axes, some, there, strict=True):
        ax.step(AT, one["functions"].to_numpy().T, lw=0.9, where="mid")
        normal = family.index == functions.NORMAL
        ax.set_title("normal" if normal else f"index {family.index:g}")
        ax.set_xlabel("input")
    axes[0].set_ylabel("output")
    return figure


FUNCTIONS = Picture(
    "functions",
    "Functions from priors of networks of 10 to 10,000 tanh units, and from their limit; grey: "
    f"{BAND:g} standard deviations of it to both sides.",
    drawn_functions,
    functions.of_kurtosis,
)
COVARIANCES = Picture(
    "covariances",
    "Covariances of outputs at seven inputs, from draws, less those of the limit. Dashed: the "
    "target. Dotted: the limit by the number of differences.",
    covariances,
    functions.of_covariances,
)
LAYERS = Picture(
    "layers",
    "Functions from priors of networks of one layer of 1,000 tanh units and of layers of 200; "
    f"grey: {BAND:g} standard deviations of their limits.",
    drawn_layers,
    functions.of_layers,
)
STABLE_FUNCTIONS = Picture(
    "stable",
    "Functions of 1,000 steps with stable and with normal weights.",
    stable_functions,
    functions.of_stable,
)
