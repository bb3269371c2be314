"""Plots of predictions: simulated training targets, and held-out cases with their bands."""

from typing import Any

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay

from ..comparison.model_results import ModelResult
from ..scores.smoothing import quietly
from ..tables.encoding import Encoding
from .plots import BLUE, GREY, RED, WIDTH, shortened

MOST_BANDS = 120
MOST_LINES = 100
MOST_CLASSES = 40
PREDICTIVE_DRAWS = 400


def plot_predictive(result: ModelResult, encoding: Encoding | None) -> Any:
    """Posterior predictive distribution of the training targets over the observed one."""
    draws, observed = _training_predictions(result)
    if result.model.classes is not None:
        return _plot_class_counts(draws.values, observed.values, result.model.classes)
    if encoding is not None:
        draws, observed = (v * encoding.sd + encoding.mean for v in (draws, observed))
    # a column's name may be that of a dimension, or have a slash, which a DataTree refuses
    tree = xr.DataTree.from_dict(
        {
            "posterior_predictive": draws.to_dataset(name="simulated target"),
            "observed_data": observed.to_dataset(name="simulated target"),
        }
    )
    drawn = quietly(  # targets may be whole numbers, and still be a regression's
        az.plot_ppc_dist,
        tree,
        kind="kde",
        num_samples=min(MOST_LINES, draws.sizes["chain"] * draws.sizes["draw"]),
        figure_kwargs={"figsize": (WIDTH, 3.2)},
    )
    target = "target" if encoding is None else encoding.target
    drawn.viz["figure"].item().axes[0].set_title(target)
    return drawn


def _plot_class_counts(draws: np.ndarray, observed: np.ndarray, classes: tuple) -> Figure:
    """How many cases each class has, observed and in simulated targets."""
    codes = np.arange(len(classes))
    each = draws.reshape(-1, draws.shape[-1])
    simulated = np.stack([np.bincount(draw, minlength=len(codes)) for draw in each])
    counts = np.bincount(observed, minlength=len(codes))
    most = np.sort(np.argsort(-counts, kind="stable")[:MOST_CLASSES])
    codes, simulated, counts = codes[: len(most)], simulated[:, most], counts[most]
    low, middle, high = np.quantile(simulated, (0.05, 0.5, 0.95), axis=0)
    figure, axes = plt.subplots(figsize=(WIDTH, 3.2))
    axes.bar(codes, counts, color=GREY, alpha=0.35, label="observed")
    errors = np.stack([middle - low, high - middle])
    axes.errorbar(
        codes, middle, errors, fmt="o", color=BLUE, capsize=4, label="simulated, 90% interval"
    )
    names = [shortened(str(classes[code])) for code in most]
    upright = sum(map(len, names)) > 40
    axes.set_xticks(codes, names, rotation=90 if upright else 0)
    axes.set(ylabel="training cases", ylim=(0, 1.3 * max(high.max(), counts.max())))
    if len(most) < len(classes):
        axes.set_xlabel(f"the {len(most)} most frequent of {len(classes)} classes")
    axes.legend(ncols=2, frameon=False, fontsize=9, loc="upper center")
    return figure


def _training_predictions(result: ModelResult) -> tuple[xr.DataArray, xr.DataArray]:
    predicting = result.predicting  # as scores: where chains are weighed, not of all alike
    sizes = predicting["posterior"].sizes
    every = max(1, sizes["chain"] * sizes["draw"] // PREDICTIVE_DRAWS)
    thinned = predicting.isel(draw=slice(None, None, every))
    X, _ = result.model.training_data()
    prediction = result.model.predict(thinned, X, draws=["y"], quantiles=(), seed=0)
    y = prediction["predictions"].dataset["y"]
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
    axes.legend(ncols=2, frameon=False, fontsize=9, loc="lower right")
    return figure
