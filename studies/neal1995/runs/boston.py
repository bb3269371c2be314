"""Boston housing: networks with normal and with t noise beside scikit-learn (chapter 4)."""

import warnings

import numpy as np
import xarray as xr
from mlxtend.data import boston_housing_data
from sklearn.model_selection import KFold
from threadpoolctl import threadpool_limits

from ....models import GaussianNoise, Likelihood, StudentTNoise, ard
from ....samplers import sample
from ...baselines.baseline import fit_baselines
from ..design.budgets import Budget

HIDDEN = 8
DRAWS, TUNE, LEAPFROGS = 400, 200, 100
LIKELIHOODS: dict[str, Likelihood] = {"normal noise": GaussianNoise(), "t noise": StudentTNoise()}
MEASURES = ("squared error", "absolute error", "log score")


def boston_key(fold: int) -> str:
    """Name the result of a fold."""
    return f"boston-{fold}"


def predict_fold(fold: int, budget: Budget, seed: int) -> xr.Dataset:
    """Fit everything without a fold of ten, and predict it.

    Returns
    -------
    Dataset
        ``score``, means over the fold's cases by ``way`` and ``measure``, in standardised units.
    """
    X, y = boston_housing_data()
    folds = list(KFold(10, shuffle=True, random_state=seed).split(X))
    train, test = folds[fold]
    X, y = ((one - one[train].mean(axis=0)) / one[train].std(axis=0) for one in (X, y))
    scores: dict[str, list[float]] = {}
    with threadpool_limits(1, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # short chains
        for name, likelihood in LIKELIHOODS.items():
            model = ard(X[train], y[train], hidden=(HIDDEN,), likelihood=likelihood)
            draws, tune = (max(10, int(budget.share * n)) for n in (DRAWS, TUNE))
            idata = sample(
                model,
                draws,
                tune,
                chains=1,
                cores=1,
                seed=np.random.default_rng([seed, fold]),
                n_leapfrog=LEAPFROGS,
                progressbar=False,
                quiet=True,
                compute_convergence_checks=False,
            )
            mean = model.predict(idata, X[test])["predictions"]["f"].mean(("chain", "draw"))
            score = float(model.log_score(idata, X[test], y[test]))
            scores[name] = _scores(mean.to_numpy()[:, 0], y[test], score)
        for name, one in fit_baselines(model, (X[test], y[test]), seed).items():
            score = float(one.scores["log_score"].mean())
            scores[name] = _scores(one.scores["mean"].to_numpy()[:, 0], y[test], score)
    return xr.Dataset(
        {"score": (("way", "measure"), list(scores.values()))},
        {"way": list(scores), "measure": list(MEASURES)},
    )


def _scores(mean: np.ndarray, y: np.ndarray, score: float) -> list[float]:
    return [float(np.mean((y - mean) ** 2)), float(np.mean(np.abs(y - mean))), score]
