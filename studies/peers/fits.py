"""All contenders on one fold of a table."""

import warnings
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from ..baselines.regression import regressions
from ..estimators.regressor import BNNRegressor
from ..tables.encoding import learn_encoding
from . import ensembles
from .budgets import FOLDS, Budget
from .ordinary import load

NETWORK, BY_ROW = "network", "network, noise by row"
OURS = (NETWORK, BY_ROW)


class Cases(NamedTuple):
    """Cases of a fold, standardised by those of training."""

    X: np.ndarray
    y: np.ndarray
    new: np.ndarray
    observed: np.ndarray


class Fitted(NamedTuple):
    """What a contender predicts, in how many seconds, and what its draws can be used for."""

    mean: np.ndarray
    log_density: np.ndarray
    seconds: float
    grade: str = ""


def fold_key(table: str, fold: int) -> str:
    """Name the result of a fold."""
    return f"{table}-{fold}"


def fit_fold(table: str, fold: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit all contenders without a fold, and predict it.

    Returns
    -------
    Dataset
        ``log_score`` and ``squared_error`` by ``contender`` and ``case``, in units of the standard
        deviation of the training targets; ``seconds`` and ``grade`` by ``contender``.
    """
    cases = cases_of(table, fold, budget, seed)
    with threadpool_limits(1), warnings.catch_warnings():
        # length scales at their bounds are inputs that do not matter; grades tell of chains
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = dict(contenders(cases, budget, seed + fold))
    errors = [(cases.observed - one.mean) ** 2 for one in found.values()]
    return xr.Dataset(
        {
            "log_score": (("contender", "case"), [one.log_density for one in found.values()]),
            "squared_error": (("contender", "case"), errors),
            "seconds": ("contender", [one.seconds for one in found.values()]),
            "grade": ("contender", [one.grade for one in found.values()]),
        },
        {"contender": list(found)},
    )


def cases_of(table: str, fold: int, budget: Budget, seed: int) -> Cases:
    """Split a table and standardise its cases."""
    data = load(table, budget.rows, seed)
    train, test = list(KFold(FOLDS).split(data.frame))[fold]  # rows are in a random order
    encoding = learn_encoding(data.frame, data.target, "regression", train)
    inputs = encoding.inputs(data.frame).to_numpy(float)
    targets = np.asarray(encoding.targets(data.frame[data.target]), float)
    return Cases(inputs[train], targets[train], inputs[test], targets[test])


def contenders(cases: Cases, budget: Budget, seed: int) -> Iterator[tuple[str, Fitted]]:
    """Fit one after another; an ensemble where its package is there."""
    settings: dict[str, Any] = {"cores": 1, "random_state": seed, **budget.network}
    fitted, first = _network(cases, {**settings, "likelihood": "gaussian"})
    yield NETWORK, fitted
    more = {**settings, "hidden": first.hidden_, "likelihood": "heteroscedastic"}
    yield BY_ROW, _network(cases, more)[0]
    if ensembles.installed():
        yield ensembles.NAME, Fitted(*ensembles.fit(*cases, seed))
    for name, way in regressions(len(cases.y)).items():
        yield name, _normal(cases, way, seed)


def _network(cases: Cases, settings: dict[str, Any]) -> tuple[Fitted, BNNRegressor]:
    begun = perf_counter()
    network = BNNRegressor(**settings).fit(cases.X, cases.y)
    mean = network.predict(cases.new)
    density = network.log_density(cases.new, cases.observed)
    return Fitted(mean, density, perf_counter() - begun, network.grade_), network


def _normal(cases: Cases, way: Callable[..., Any], seed: int) -> Fitted:
    begun = perf_counter()
    mean, sd = way(cases.X, cases.y, cases.new, seed)
    return Fitted(mean, norm.logpdf(cases.observed, mean, sd), perf_counter() - begun)
