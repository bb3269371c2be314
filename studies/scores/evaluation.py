"""Scores of predictions for held-out cases."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from ...models.bnn import BNN
from ...models.data.targets import as_inputs
from ...models.likelihoods.contract import mean_name
from ...models.scores import log_densities
from .monte_carlo import log_scores

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
BATCH_NUMBERS = 2**23
CALIBRATION_BINS = 10


def crps(draws: np.ndarray, observed: np.ndarray) -> np.ndarray:
    r"""Continuous ranked probability score of predictive draws; smaller is better.

    .. math:: \frac1S \sum_s |y_s - y| - \frac{1}{2 S^2} \sum_{s,t} |y_s - y_t|

    (Gneiting & Raftery 2007, Eq. 21), in the unit of the target.

    Parameters
    ----------
    draws : ndarray, shape (samples, ...)
        Draws from the predictive distribution.
    observed : ndarray, shape (...)
        What was observed.

    Returns
    -------
    ndarray, shape (...)
        Infinite where draws are.

    Raises
    ------
    ValueError
        If a draw has not the shape of what was observed.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies import crps
    >>> float(crps(np.array([1.0, 1.0]), np.array(3.0)))
    2.0
    """
    draws, observed = (np.asarray(values, dtype=np.float64) for values in (draws, observed))
    if draws.ndim == 0 or draws.shape[1:] != observed.shape:  # broadcast, all cases would pair
        raise ValueError(
            f"observed: a draw has shape {draws.shape[1:]} and it has shape {observed.shape}; give "
            "draws of shape (samples, ...) and observed of shape (...)."
        )
    samples = len(draws)
    ranks = np.arange(1, samples + 1).reshape(-1, *[1] * (draws.ndim - 1))
    weights = 2 * ranks - samples - 1
    endless = np.isinf(draws).any(axis=0)
    draws = np.where(endless, observed, draws)  # that of infinite draws would be inf - inf
    spread = (weights * np.sort(draws, axis=0)).sum(axis=0) / samples**2
    score = np.abs(draws - observed).mean(axis=0) - spread
    return np.where(endless, np.inf, score)


def calibration_error(probability: np.ndarray, hit: np.ndarray) -> float:
    """Mean gap between predicted probabilities and frequencies, over ten bins.

    Parameters
    ----------
    probability : ndarray, shape (cases,)
        Probability of the predicted class of each case.
    hit : ndarray of bool, shape (cases,)
        Whether the prediction was right.

    Returns
    -------
    float
        Between 0 and 1; bins weigh by their number of cases. Few cases make it too large by
        chance: with probabilities from 0.5 to 1 that are right, 45 cases give 0.11 on average, 100
        give 0.07, and 1000 give 0.02.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies import calibration_error
    >>> calibration_error(np.array([0.75] * 4), np.array([True, True, True, False]))
    0.0
    """
    probability, hit = np.asarray(probability, dtype=np.float64), np.asarray(hit)
    if not np.all((probability >= 0) & (probability <= 1)):
        raise ValueError("probability: give numbers from 0 to 1, no percentages.")
    bins = np.minimum((probability * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    gaps = np.bincount(bins, probability - hit, CALIBRATION_BINS)
    return float(np.abs(gaps).sum() / len(hit))


def score_cases(model: BNN, idata: xr.DataTree, X: Any, y: Any, seed: int = 0) -> xr.Dataset:
    """Predict held-out cases and score each of them, in batches.

    Parameters
    ----------
    model : BNN
        The model.
    idata : DataTree
        Its draws.
    X, y
        The cases, in the scale of the model.
    seed : int
        For simulated targets.

    Returns
    -------
    Dataset
        Along ``obs``: ``log_score`` (nats); for numbers, along ``output`` too, ``observed``,
        ``mean``, ``quantiles``, ``crps`` and ``pit``, which for counts lies anywhere in their jump,
        so that it is uniform if they are predicted well; for classes ``probability`` along
        ``output``, ``predicted`` and ``observed`` class codes. Besides, ``log_score_mcse``: the
        Monte Carlo error of the mean log score (:func:`.monte_carlo.log_scores`).

    Raises
    ------
    ValueError
        If the cases do not fit the model, or have a class it does not know.
    """
    log_score, mcse = log_scores(log_densities(model, idata, X, y))
    X = pd.DataFrame(as_inputs(X, model.inputs)[0], columns=list(model.inputs))
    samples = int(np.prod([idata["posterior"].sizes[dim] for dim in ("chain", "draw")]))
    targets = model.likelihood.encode(y, model.classes).values
    rng, places = np.random.default_rng(seed), np.random.default_rng([seed, 1])
    parts = []
    for rows in _batches(len(X), samples * len(model.outputs)):
        classifies = model.likelihood.classifies
        draws = False if classifies else ["y"]
        prediction = model.predict(idata, X.iloc[rows], draws=draws, quantiles=LEVELS, seed=rng)
        score = _classes if classifies else partial(_numbers, mean=mean_name(model), rng=places)
        parts.append(score(prediction, targets[rows]))
    scores = xr.concat(parts, "obs").assign_coords(obs=np.arange(len(X)))
    return scores.assign(log_score=("obs", log_score), log_score_mcse=mcse)


def _batches(cases: int, numbers: int) -> Iterator[slice]:
    size = max(1, BATCH_NUMBERS // numbers)
    for start in range(0, cases, size):
        yield slice(start, start + size)


def _numbers(
    prediction: xr.DataTree, observed: np.ndarray, mean: str, rng: np.random.Generator
) -> xr.Dataset:
    y = prediction["predictions"]["y"].stack(sample=("chain", "draw")).transpose("sample", ...)
    summary = prediction["summary"].dataset
    cells = ("obs", "output")
    return xr.Dataset(
        {
            "mean": summary["mean"].sel(variable=mean, drop=True),
            "quantiles": summary["quantiles"].sel(variable="y", drop=True),
            "observed": (cells, observed),
            "crps": (cells, crps(y.values, observed)),
            "pit": (cells, probability_below(y.values, observed, rng)),
        }
    )


def probability_below(
    draws: np.ndarray, observed: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Distribution function of draws at what was observed, anywhere in a jump (Smith 1985).

    Of counts that have the distribution of the draws it is uniform; in the middle of jumps it
    would not be.

    Parameters
    ----------
    draws : ndarray, shape (draws, ...)
        Predicted.
    observed : ndarray, shape (...)
        Observed.
    rng : Generator
        Chooses the place in the jump.
    """
    below, up_to = ((draws < observed).mean(axis=0), (draws <= observed).mean(axis=0))
    return np.asarray(below + rng.random(below.shape) * (up_to - below))


def _classes(prediction: xr.DataTree, observed: np.ndarray) -> xr.Dataset:
    mean = prediction["summary"].dataset["mean"].sel(variable="probability", drop=True)
    two = mean.sizes["output"] == 1
    predicted = (mean.values[:, 0] > 0.5).astype(int) if two else mean.values.argmax(axis=1)
    return xr.Dataset(
        {
            "probability": mean,
            "predicted": ("obs", predicted),
            "observed": ("obs", observed),
        }
    )


def summarize_scores(scores: xr.Dataset, sd: float = 1.0) -> dict[str, float]:
    """Average the scores of held-out cases.

    Parameters
    ----------
    scores : Dataset
        What :func:`score_cases` returned.
    sd : float
        Standard deviation by which the targets were divided, to report in their own unit.

    Returns
    -------
    dict of str to float
        ``log_score``, its standard error ``log_score_se`` and, where it comes from draws, its Monte
        Carlo error ``log_score_mcse`` (nats per case); for numbers ``rmse``, ``crps``,
        ``coverage_50`` and ``coverage_90``; for classes ``error_rate`` and ``calibration_error``.
    """
    log_score = scores["log_score"].values
    summary: dict[str, float] = {}
    if "probability" in scores:
        predicted, observed = scores["predicted"].values, scores["observed"].values
        probability = _probability_of_predicted(scores)
        summary["error_rate"] = float((predicted != observed).mean())
        summary["calibration_error"] = calibration_error(probability, predicted == observed)
    else:
        outputs = scores.sizes["output"]
        log_score = log_score - outputs * np.log(sd)
        error = scores["mean"] - scores["observed"]
        summary["rmse"] = float(np.sqrt((error**2).mean())) * sd
        summary["crps"] = float(scores["crps"].mean()) * sd
        for name, low, high in (("coverage_50", 0.25, 0.75), ("coverage_90", 0.05, 0.95)):
            summary[name] = float(_inside(scores, low, high).mean())
    summary["log_score"] = float(log_score.mean())
    summary["log_score_se"] = float(log_score.std(ddof=1) / np.sqrt(len(log_score)))
    if "log_score_mcse" in scores:
        summary["log_score_mcse"] = float(scores["log_score_mcse"])
    return summary


def _inside(scores: xr.Dataset, low: float, high: float) -> xr.DataArray:
    """Whether targets lie between quantiles; of counts more than their nominal share do."""
    lower, upper = (scores["quantiles"].sel(quantile=end, drop=True) for end in (low, high))
    return (scores["observed"] >= lower) & (scores["observed"] <= upper)


def _probability_of_predicted(scores: xr.Dataset) -> np.ndarray:
    probability = scores["probability"].values
    if probability.shape[1] == 1:
        return np.maximum(probability[:, 0], 1 - probability[:, 0])
    return probability.max(axis=1)
