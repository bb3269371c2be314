"""Plots of a report, by ArviZ where it has them, as images that need no other file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from arviz_base import xarray_sel_iter
from arviz_base.labels import BaseLabeller
from matplotlib.figure import Figure

from ...samplers.diagnosis.evidence import log_posterior_of
from ...samplers.diagnosis.identified import identified
from ..comparison.model_results import ModelResult
from ..pages.drawing import off_screen

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison

STYLE = "arviz-variat"
DPI = 110
BLUE, GREY, RED = "#2a7f9e", "#6b7280", "#c2410c"
MOST_TRACES = 6
LONGEST_TITLE, LONGEST_REASON = 34, 200
WIDTH = 5.4


class Image(NamedTuple):
    """What became of a plot.

    Attributes
    ----------
    uri : str
        A PNG image as ``data:`` URI; empty if it could not be drawn.
    failure : str
        Why not.
    """

    uri: str = ""
    failure: str = ""


def as_image(draw: Callable[..., Any], *arguments: Any) -> Image:
    """Call a plotting function and return what it drew.

    Parameters
    ----------
    draw : callable
        Returns a matplotlib figure or an ArviZ plot collection.
    *arguments
        For the function.

    Returns
    -------
    Image
        A plot that fails is a line of the report, which is not lost with it.
    """
    try:
        # names of columns and classes are texts, and dollars in them no formulas
        with off_screen(), plt.style.context([STYLE, {"text.parse_math": False}]):
            drawn = draw(*arguments)
            figure = drawn if isinstance(drawn, Figure) else drawn.viz["figure"].item()
            buffer = BytesIO()
            figure.savefig(buffer, format="png", dpi=DPI)
    except Exception as error:  # whatever a library makes of unusual draws or names
        reason = " ".join(str(error).split()) or type(error).__name__
        return Image(failure=f"This plot could not be drawn: {reason[:LONGEST_REASON]}")
    return Image("data:image/png;base64," + b64encode(buffer.getvalue()).decode())


def plot_ranking(comparison: Comparison) -> Any:
    """Differences in expected log predictive density, with their standard errors."""
    ranking = comparison.ranking.dropna(subset="elpd")
    height = 1.2 + 0.45 * len(ranking)
    drawn = az.plot_compare(ranking, figure_kwargs={"figsize": (7, height)})
    drawn.viz["figure"].item().axes[0].margins(y=0.5 / len(ranking))
    return drawn


def plot_traces(result: ModelResult) -> Any:
    """Traces of the log posterior and of the hyperparameters that agree least."""
    quantities = _scalar_traces(result)
    tree = xr.DataTree.from_dict({"posterior": quantities})
    rhat = az.rhat(tree).dataset.fillna(np.inf)  # unknown where chains never move
    worst = sorted(quantities.data_vars, key=lambda name: -float(rhat[name]))[:MOST_TRACES]
    if "log posterior" in quantities and "log posterior" not in worst:
        worst[-1] = "log posterior"
    tree = xr.DataTree.from_dict({"posterior": quantities[worst]})
    rows = (len(worst) + 1) // 2
    drawn = az.plot_trace(tree, col_wrap=2, figure_kwargs={"figsize": (WIDTH, 0.6 + 1.35 * rows)})
    figure = drawn.viz["figure"].item()
    for i, axes in enumerate(figure.axes):
        axes.set_title(shortened(axes.get_title()), size=8)
        axes.set_xlabel("draw" if i >= len(worst) - 2 else "", size=9)
        axes.tick_params(labelsize=8)
    return figure


def shortened(text: str) -> str:
    """Cut a long label in its middle, where the indices that tell it apart are not."""
    half = LONGEST_TITLE // 2
    return text if len(text) <= LONGEST_TITLE else f"{text[:half]}…{text[-half:]}"


def _scalar_traces(result: ModelResult) -> xr.Dataset:
    """Every element of what is identified of the hyperparameters, and the log posterior."""
    chosen = identified(result.idata["posterior"].dataset, result.model.groups)
    label = BaseLabeller().make_label_flat
    traces = {
        # a DataTree takes the slash of a column's name for one of a path
        f"log {label(name, sel, isel)}".replace("/", "∕"): chosen[name]
        .sel(sel)
        .reset_coords(drop=True)
        for name, sel, isel in xarray_sel_iter(chosen, skip_dims={"chain", "draw"})
    }
    traces |= {name: values for values, name in log_posterior_of(result.idata)}
    return xr.Dataset(traces)


def plot_relevance(result: ModelResult) -> Any:
    """Prior standard deviation of the weights out of each input, most relevant first."""
    precision = result.idata["posterior"]["w0_precision"]
    relevance = (precision**-0.5).rename("sd")
    order = np.argsort(-relevance.median(("chain", "draw")).values)
    tree = xr.DataTree.from_dict({"posterior": relevance.isel(input=order).to_dataset()})
    height = 1.0 + 0.3 * relevance.sizes["input"]
    drawn = az.plot_forest(
        tree,
        combined=True,
        labels=["input"],
        point_estimate="median",  # which the order is of
        figure_kwargs={"figsize": (WIDTH, height)},
    )
    names, values = drawn.viz["figure"].item().axes
    names.set_axis_off()
    values.set_xlabel("standard deviation of weights", size=9)
    return drawn


def has_relevance(result: ModelResult) -> bool:
    """Whether the model has a precision for every input."""
    posterior = result.idata["posterior"]
    return "w0_precision" in posterior and "input" in posterior["w0_precision"].dims


def plot_pareto_k(result: ModelResult) -> Any:
    """Pareto k of every case: where leave-one-out by importance sampling fails."""
    limit = float(result.loo.good_k)
    drawn = az.plot_khat(
        result.loo,
        hline_values=[limit],
        visuals={"hlines": {"color": RED}},
        figure_kwargs={"figsize": (WIDTH, 3.2)},
    )
    axes = drawn.viz["figure"].item().axes[0]
    low, high = axes.get_ylim()
    axes.set(
        ylim=(min(low, 0.0), max(high, limit + 0.1)), xlabel="training case", ylabel="Pareto k"
    )
    return drawn
