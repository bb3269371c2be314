"""Simpler models, fitted to the cases of a network and scored as it is."""

import warnings
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from ...models.bnn import BNN
from ...models.data.targets import as_inputs
from ..scores.evaluation import LEVELS
from .classification import classifiers
from .regression import regressions


@dataclass(frozen=True)
class Baseline:
    """A simpler model's scores.

    Parameters
    ----------
    name : str
        What it is called.
    scores : Dataset
        Of held-out cases, as of :func:`.evaluation.score_cases`.
    seconds : float
        To fit it and to predict.
    """

    name: str
    scores: xr.Dataset
    seconds: float


def fit_baselines(model: BNN, test: tuple[Any, Any], seed: int = 0) -> dict[str, Baseline]:
    """Fit simpler models to a network's training cases, and score them on held-out cases.

    Parameters
    ----------
    model : BNN
        The network, for its cases; its draws are not needed.
    test : (X, y)
        Held-out cases, in the scale of the network.
    seed : int
        For those that need random numbers.

    Returns
    -------
    dict of str to Baseline
        A linear model, a Gaussian process where rows allow it, and boosted trees, by scikit-learn.

    Warns
    -----
    UserWarning
        If one cannot be fitted to these cases; it is left out.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.baselines.baseline import fit_baselines
    >>> X = np.linspace(-1, 1, 30)[:, None]
    >>> found = fit_baselines(models.gaussian(X, X[:, 0] ** 2), (X, X[:, 0] ** 2))
    >>> list(found)
    ['linear', 'gaussian process', 'boosted trees']
    """
    classifies = model.likelihood.classifies
    rows, classes = model["X"].get_value(borrow=True).shape[0], len(model.classes or ())
    ways: dict[str, Any] = classifiers(rows, classes) if classifies else regressions(rows)
    found = {}
    for name, fit in ways.items():
        begun = perf_counter()
        try:
            with warnings.catch_warnings():
                # length scales at their bounds are inputs that do not matter
                warnings.simplefilter("ignore", ConvergenceWarning)
                scores = (_classes if classifies else _numbers)(model, fit, test, seed)
        except (ValueError, np.linalg.LinAlgError) as error:
            # networks are compared all the same
            said = " ".join(str(error).split())
            warnings.warn(f"the baseline {name!r} is left out: {said}", stacklevel=2)
            continue
        found[name] = Baseline(name, scores, perf_counter() - begun)
    return found


def _cases(model: BNN, test: tuple[Any, Any]) -> tuple[np.ndarray, ...]:
    """Inputs and targets of training, then those held out."""
    X, y = (model[name].get_value(borrow=True) for name in ("X", "y"))
    new, _ = as_inputs(test[0], model.inputs)
    return X, y, new, model.likelihood.encode(test[1], model.classes).values


def _numbers(model: BNN, fit: Any, test: tuple[Any, Any], seed: int) -> xr.Dataset:
    """Scores of normal distributions, with the CRPS of Gneiting & Raftery (2007, Eq. 21)."""
    X, y, new, observed = _cases(model, test)
    each = [fit(X, column, new, seed) for column in y.reshape(len(y), -1).T]
    mean, sd = np.moveaxis(np.array(each), 0, -1)
    observed = observed.reshape(mean.shape)
    cells = ("obs", "output")
    z = (observed - mean) / sd
    below = norm.cdf(z)
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "observed": (cells, observed),
            "crps": (cells, sd * (z * (2 * below - 1) + 2 * norm.pdf(z) - np.pi**-0.5)),
            "pit": (cells, below),
            "quantiles": (("quantile", *cells), [mean + sd * norm.ppf(q) for q in LEVELS]),
            "log_score": ("obs", _log_density(model, observed, mean, sd).sum(axis=1)),
        },
        coords={"quantile": list(LEVELS)},
    )


def _log_density(model: BNN, observed: np.ndarray, mean: np.ndarray, sd: np.ndarray) -> np.ndarray:
    """Log density of normal distributions, or of counts the log probability of rounding to them."""
    if not model.likelihood.counts:
        return norm.logpdf(observed, mean, sd)
    distance = np.abs(observed - mean)
    # from the tail that counts lie in: differences of probabilities near 1 are lost
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond, within = (norm.logsf((distance + half) / sd) for half in (-0.5, 0.5))
        found = beyond + np.log(-np.expm1(within - beyond))
    return np.where(np.isfinite(found), found, np.log(np.finfo(float).tiny))


def _classes(model: BNN, fit: Any, test: tuple[Any, Any], seed: int) -> xr.Dataset:
    X, y, new, observed = _cases(model, test)
    present = np.unique(y)
    if len(present) < len(model.classes or ()):
        raise ValueError(f"only {len(present)} of {len(model.classes or ())} classes have a row.")
    probability = fit(X, y, new, seed)
    of_observed = probability[np.arange(len(observed)), observed]
    return xr.Dataset(
        {
            "probability": (("obs", "output"), probability[:, -len(model.outputs) :]),
            "predicted": ("obs", probability.argmax(axis=1)),
            "observed": ("obs", observed),
            "log_score": ("obs", np.log(np.maximum(of_observed, np.finfo(float).tiny))),
        }
    )
