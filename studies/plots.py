"""Plots of a report, by ArviZ where it has them, as images that need no other file."""

from base64 import b64encode
from collections.abc import Callable
from io import BytesIO
from typing import Any

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from arviz_base import xarray_sel_iter
from arviz_base.labels import BaseLabeller
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay

from .comparison import Comparison, ModelResult
from .encoding import Encoding

STYLE = "arviz-variat"
DPI = 110
BLUE, GREY, RED = "#2a7f9e", "#6b7280", "#c2410c"
MOST_TRACES = 6
WIDTH = 5.4
MOST_BANDS = 120
PREDICTIVE_DRAWS = 400


def as_image(draw: Callable[..., Any], *arguments: Any) -> str:
    """Call a plotting function and return what it drew as a data URI.

    Parameters
    ----------
    draw : callable
        Returns a matplotlib figure or an ArviZ plot collection.
    *arguments
        For the function.

    Returns
    -------
    str
        A PNG image as ``data:`` URI.
    """
    backend = plt.get_backend()
    plt.switch_backend("agg")
    try:
        with plt.style.context(STYLE):
            drawn = draw(*arguments)
            figure = drawn if isinstance(drawn, Figure) else drawn.viz["figure"].item()
            buffer = BytesIO()
            figure.savefig(buffer, format="png", dpi=DPI)
            plt.close("all")
    finally:
        plt.switch_backend(backend)
    return "data:image/png;base64," + b64encode(buffer.getvalue()).decode()


def plot_ranking(comparison: Comparison) -> Any:
    """Differences in expected log predictive density, with their standard errors."""
    height = 1.2 + 0.45 * len(comparison.ranking)
    return az.plot_compare(comparison.ranking, figure_kwargs={"figsize": (7, height)})


def plot_traces(result: ModelResult) -> Any:
    """Traces of the log posterior and of the hyperparameters that agree least."""
    quantities = _scalar_traces(result)
    tree = xr.DataTree.from_dict({"posterior": quantities})
    rhat = az.rhat(tree)
    worst = sorted(quantities.data_vars, key=lambda name: -float(rhat[name]))[:MOST_TRACES]
    if "log posterior" in quantities and "log posterior" not in worst:
        worst[-1] = "log posterior"
    tree = xr.DataTree.from_dict({"posterior": quantities[worst]})
    rows = (len(worst) + 1) // 2
    return az.plot_trace(
        tree,
        col_wrap=2,
        visuals={"title": {"size": 9}},
        figure_kwargs={"figsize": (WIDTH, 0.6 + 1.35 * rows)},
    )


def _scalar_traces(result: ModelResult) -> xr.Dataset:
    """Every element of every hyperparameter on the log scale, and the log posterior."""
    posterior = result.idata["posterior"].dataset
    names = [name for name in result.convergence.table.index if name in posterior]
    chosen = np.log(posterior[names])
    label = BaseLabeller().make_label_flat
    traces = {
        f"log {label(name, sel, isel)}": chosen[name].sel(sel).reset_coords(drop=True)
        for name, sel, isel in xarray_sel_iter(chosen, skip_dims={"chain", "draw"})
    }
    stats = result.idata["sample_stats"].dataset if "sample_stats" in result.idata else {}
    if "lp" in stats:
        traces["log posterior"] = stats["lp"]
    return xr.Dataset(traces)


def plot_predictive(result: ModelResult, encoding: Encoding | None) -> Any:
    """Posterior predictive distribution of the training targets over the observed one."""
    draws, observed = _training_predictions(result)
    if not result.model.likelihood.classifies and encoding is not None:
        draws, observed = (v * encoding.sd + encoding.mean for v in (draws, observed))
    target = "target" if encoding is None else encoding.target
    tree = xr.DataTree.from_dict(
        {
            "posterior_predictive": draws.to_dataset(name=target),
            "observed_data": observed.to_dataset(name=target),
        }
    )
    kind = "hist" if result.model.likelihood.classifies else "kde"
    return az.plot_ppc_dist(tree, kind=kind, figure_kwargs={"figsize": (WIDTH, 3.2)})


def _training_predictions(result: ModelResult) -> tuple[xr.DataArray, xr.DataArray]:
    posterior = result.idata["posterior"]
    total = posterior.sizes["chain"] * posterior.sizes["draw"]
    thinned = result.idata.isel(draw=slice(None, None, max(1, total // PREDICTIVE_DRAWS)))
    X, _ = result.model.training_data()
    y = result.model.predict(thinned, X, draws=["y"], quantiles=(), seed=0)["predictions"]["y"]
    observed = xr.DataArray(result.model["y"].get_value(), dims=y.dims[2:])
    if "output" in y.dims:
        y, observed = y.isel(output=0, drop=True), observed.isel(output=0, drop=True)
    return y, observed


def plot_calibration(result: ModelResult) -> Any:
    """Are the predicted probabilities right? On held-out cases."""
    assert result.scores is not None
    if "probability" in result.scores:
        return _plot_reliability(result.scores)
    pit = result.scores["pit"].values.reshape(1, -1)
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset({"held-out": (("chain", "draw"), pit)})})
    return az.plot_ecdf_pit(
        tree,
        group="posterior",
        sample_dims=["chain", "draw"],
        figure_kwargs={"figsize": (WIDTH, 3.2)},
    )


def _plot_reliability(scores: xr.Dataset) -> Figure:
    figure, axes = plt.subplots(figsize=(WIDTH, 3.6))
    probability = scores["probability"].values
    observed = scores["observed"].values
    if probability.shape[1] == 1:
        hits, predicted = observed, probability[:, 0]
    else:
        classes = np.arange(probability.shape[1])
        hits, predicted = (observed[:, None] == classes).ravel(), probability.ravel()
    CalibrationDisplay.from_predictions(
        hits, predicted, n_bins=10, strategy="quantile", ax=axes, name="held-out", color=BLUE
    )
    axes.set(xlabel="predicted probability", ylabel="observed frequency")
    return figure


def plot_bands(result: ModelResult, encoding: Encoding | None) -> Figure:
    """Held-out targets and their predictions, in the order of the predictions."""
    assert result.scores is not None
    if "probability" in result.scores:
        return _plot_class_bands(result)
    scores = result.scores.isel(output=0)
    mean, sd = (0.0, 1.0) if encoding is None else (encoding.mean, encoding.sd)
    order = np.argsort(scores["mean"].values)
    order = order[np.linspace(0, len(order) - 1, min(len(order), MOST_BANDS)).astype(int)]
    low, high = (
        scores["quantiles"].sel(quantile=q).values[order] * sd + mean for q in (0.05, 0.95)
    )
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
    cases = np.arange(len(order))
    axes.fill_between(cases, low, high, color=BLUE, alpha=0.25, lw=0, label="90% interval")
    axes.plot(cases, scores["mean"].values[order] * sd + mean, color=BLUE, label="prediction")
    observed = scores["observed"].values[order] * sd + mean
    outside = (observed < low) | (observed > high)
    axes.scatter(cases[~outside], observed[~outside], s=12, color=GREY, label="observed", zorder=3)
    axes.scatter(cases[outside], observed[outside], s=16, color=RED, label="outside", zorder=3)
    target = "target" if encoding is None else encoding.target
    axes.set(xlabel="held-out case, by prediction", ylabel=target)
    axes.legend(ncols=2, frameon=False, fontsize=9)
    return figure


def _plot_class_bands(result: ModelResult) -> Figure:
    """Predicted probability of the true class of each held-out case."""
    assert result.scores is not None
    probability = result.scores["probability"].values
    observed = result.scores["observed"].values
    if probability.shape[1] == 1:
        probability = np.concatenate([1 - probability, probability], axis=1)
    true = probability[np.arange(len(observed)), observed]
    order = np.argsort(true)
    wrong = result.scores["predicted"].values[order] != observed[order]
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
    cases = np.arange(len(order))
    axes.scatter(cases[~wrong], true[order][~wrong], s=10, color=BLUE, label="right")
    axes.scatter(cases[wrong], true[order][wrong], s=14, color=RED, label="wrong")
    axes.set(xlabel="held-out case", ylabel="probability of its class", ylim=(-0.02, 1.02))
    axes.legend(ncols=2, frameon=False, fontsize=9)
    return figure


def plot_relevance(result: ModelResult) -> Any:
    """Prior standard deviation of the weights out of each input, most relevant first."""
    precision = result.idata["posterior"]["w0_precision"]
    relevance = (precision**-0.5).rename("sd")
    order = np.argsort(-relevance.median(("chain", "draw")).values)
    tree = xr.DataTree.from_dict({"posterior": relevance.isel(input=order).to_dataset()})
    height = 1.0 + 0.3 * relevance.sizes["input"]
    return az.plot_forest(
        tree, combined=True, labels=["input"], figure_kwargs={"figsize": (WIDTH, height)}
    )


def has_relevance(result: ModelResult) -> bool:
    """Whether the model has a precision for every input."""
    posterior = result.idata["posterior"]
    return "w0_precision" in posterior and "input" in posterior["w0_precision"].dims


def plot_pareto_k(result: ModelResult) -> Any:
    """Pareto k of every case: where leave-one-out by importance sampling fails."""
    return az.plot_khat(
        result.loo, threshold=float(result.loo.good_k), figure_kwargs={"figsize": (WIDTH, 3.2)}
    )
