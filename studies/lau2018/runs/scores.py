"""How well draws predict the test cases, and how well they were drawn."""

from dataclasses import dataclass

import arviz as az
import numpy as np
import xarray as xr

from ....samplers.diagnosis.findings import WORST_RHAT
from ...scores.evaluation import calibration_error
from ...scores.smoothing import quietly

LARGEST_K = 0.7  # of a Pareto tail that importance sampling can trust
LEAST = 1e-6  # probability, since no draw at all may have given more
MOST_OUTPUTS = 1000  # class probabilities that diagnostics look at


@dataclass(frozen=True)
class TestError:
    """Share of test cases that are classified wrongly, and where its error comes from.

    Parameters
    ----------
    value : float
        Of the probabilities averaged over all draws.
    monte_carlo : float
        Standard error from the sampling: the standard deviation of the chains' own test errors
        over the root of their number. Undefined for one chain.
    binomial : float
        Standard error from having so few test cases. It is common to all methods on the same
        cases, and so overstates the error of differences.
    chains : tuple of float
        Test error of each chain by itself.
    """

    __test__ = False  # it is no test of pytest's

    value: float
    monte_carlo: float
    binomial: float
    chains: tuple[float, ...]


def score_error(probability: np.ndarray, observed: np.ndarray) -> TestError:
    """Count wrong classifications of chains, one by one and together.

    Parameters
    ----------
    probability : ndarray, shape (chains, cases, classes)
        Mean class probabilities of each chain.
    observed : ndarray of int, shape (cases,)
        What the cases are.

    Returns
    -------
    TestError

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.scores import score_error
    >>> probability = np.array([[[0.9, 0.1], [0.8, 0.2]], [[0.9, 0.1], [0.1, 0.9]]])
    >>> score_error(probability, np.array([0, 1])).chains
    (0.5, 0.0)
    """
    wrong = probability.argmax(axis=-1) != observed
    each = wrong.mean(axis=1)
    value = float((probability.mean(axis=0).argmax(axis=-1) != observed).mean())
    spread = float(each.std(ddof=1) / np.sqrt(len(each))) if len(each) > 1 else np.nan
    binomial = float(np.sqrt(value * (1 - value) / len(observed)))
    return TestError(value, spread, binomial, tuple(float(error) for error in each))


def drawn_errors(probability: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Chance that a class drawn from the predictive probabilities of a case is wrong.

    A draw of the posterior and then a class from its probabilities is such a class.

    Parameters
    ----------
    probability : ndarray, shape (chains, cases, classes)
        Mean class probabilities of each chain.
    observed : ndarray of int, shape (cases,)
        What the cases are.

    Returns
    -------
    ndarray, shape (cases,)

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.scores import drawn_errors
    >>> drawn_errors(np.array([[[0.75, 0.25]], [[0.25, 0.75]]]), np.array([0]))
    array([0.5])
    """
    return np.asarray(1.0 - probability.mean(axis=0)[np.arange(len(observed)), observed])


def score_probabilities(probability: np.ndarray, observed: np.ndarray) -> dict[str, float]:
    """Score predicted class probabilities.

    Parameters
    ----------
    probability : ndarray, shape (cases, classes)
        Predicted.
    observed : ndarray of int, shape (cases,)
        What the cases are.

    Returns
    -------
    dict of str to float
        ``log_score``: mean log probability of what was observed (nats), ``calibration_error``:
        expected calibration error of the predicted class, in ten bins of equal width weighted by
        their cases, and ``confidence``: mean probability of the predicted class.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.scores import score_probabilities
    >>> scores = score_probabilities(np.array([[0.5, 0.5]] * 4), np.array([0, 0, 1, 1]))
    >>> round(scores["log_score"], 4), scores["calibration_error"]
    (-0.6931, 0.0)
    """
    cases = np.arange(len(observed))
    with np.errstate(divide="ignore"):
        log_score = np.log(probability[cases, observed])
    confidence, predicted = probability.max(axis=1), probability.argmax(axis=1)
    return {
        "log_score": float(log_score.mean()),
        "calibration_error": calibration_error(confidence, predicted == observed),
        "confidence": float(confidence.mean()),
    }


def log_of(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Log probability of the true class of each case, no less than that of one draw in a million.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.scores import log_of
    >>> log_of(np.array([[1.0, 0.0]]), np.array([1])).round(1)
    array([-13.8])
    """
    return np.log(np.maximum(probability[np.arange(len(truth)), truth], LEAST))


def diagnose(draws: xr.DataArray) -> dict[str, float]:
    """Summarize R-hat and effective sample sizes of many quantities.

    Parameters
    ----------
    draws : DataArray
        Dimensions chain, draw and others. Quantities that never change are left out.

    Returns
    -------
    dict of str to float
        ``min_ess``, ``median_ess``, ``rhat`` (median), ``max_rhat`` and ``share``: how many have
        an R-hat above 1.05.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.lau2018.runs.scores import diagnose
    >>> draws = np.random.default_rng(0).normal(size=(4, 100, 3))
    >>> draws[0, :, 0] += 10
    >>> found = diagnose(xr.DataArray(draws, dims=("chain", "draw", "weight")))
    >>> round(found["share"], 2), found["min_ess"] < 10
    (0.33, True)
    """
    values = draws.values.reshape(*draws.shape[:2], -1)
    moving = np.ptp(values, axis=(0, 1)) > 0
    names = ("min_ess", "median_ess", "rhat", "max_rhat", "share")
    if not moving.any() or draws.sizes["draw"] < 4:
        return dict.fromkeys(names, np.nan)
    data = xr.DataArray(values[..., moving], dims=("chain", "draw", "quantity")).to_dataset(
        name="x"
    )
    ess = quietly(az.ess, data)["x"].values
    rhat = np.full_like(ess, np.nan)
    if draws.sizes["chain"] > 1:
        found = quietly(az.rhat, data)["x"].values
        rhat = np.where(np.isnan(found), np.inf, found)  # each chain is stuck where it is
    share = np.mean(rhat > WORST_RHAT) if draws.sizes["chain"] > 1 else np.nan
    summary = (np.nanmin(ess), np.nanmedian(ess), np.median(rhat), np.max(rhat), share)
    return {name: float(value) for name, value in zip(names, summary, strict=True)}


def thinned_outputs(probability: xr.DataArray) -> xr.DataArray:
    """Take class probabilities of evenly spaced test cases, at most ``MOST_OUTPUTS`` numbers."""
    every = -(-probability.sizes["obs"] * probability.sizes["output"] // MOST_OUTPUTS)
    return probability.isel(obs=slice(None, None, every))
