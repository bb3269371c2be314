"""Whether information criteria say how well networks predict (Lau 2018, 4.12)."""

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from ..runs.scores import LARGEST_K
from .choice import CRITERIA, score_candidates
from .results import Results, observed
from .tables import predictive

SAMPLES = 2000


def candidates(results: Results) -> pd.DataFrame:
    """All candidates: what training cases say of them, per case, and what test cases say."""
    rows = []
    for one in score_candidates(results):
        means = {name: float(np.mean(values)) for name, values in one.train.items()}
        k = one.fit["pareto_k"].values
        large = np.nan if np.isnan(k).any() else float(np.mean(k > LARGEST_K))
        row = {"network": one.experiment.row, "weights": one.experiment.network.dimension()}
        scores = predictive(one.fit["probability"].values)
        rhat = {"max R-hat of outputs": float(one.fit["outputs_max_rhat"])}
        rows.append({**row, **means, "k > 0.7": large, **scores, **rhat})
    return pd.DataFrame(rows)


def correlations(results: Results) -> pd.DataFrame:
    """Rank correlations of criteria with what they are to predict, over all candidates.

    The interval is that of a bootstrap that draws training cases, test cases and candidates anew.
    """
    scored = score_candidates(results)
    wrong = [1.0 - _right(one.fit) for one in scored]
    rows = []
    for criterion in CRITERIA:
        kept = [i for i, one in enumerate(scored) if np.isfinite(one.train[criterion]).all()]
        if len(kept) < 3:
            continue
        train = np.array([scored[i].train[criterion] for i in kept])
        targets = {
            "test log score": np.array([scored[i].test for i in kept]),
            "test accuracy": 1.0 - np.array([wrong[i] for i in kept]),
        }
        for target, values in targets.items():
            value, low, high = rank_correlation(train, values)
            row = {"criterion": criterion, "with": target, "models": len(kept)}
            rows.append({**row, "Spearman's rho": value, "low": low, "high": high})
    return pd.DataFrame(rows)


def _right(fit: xr.Dataset) -> np.ndarray:
    predicted = fit["probability"].values.mean(axis=0).argmax(axis=1)
    return np.asarray(predicted == observed(), dtype=float)


def rank_correlation(
    train: np.ndarray, test: np.ndarray, samples: int = SAMPLES, seed: int = 0
) -> tuple[float, float, float]:
    """Spearman's correlation of models' mean scores, with a 90% bootstrap interval.

    Parameters
    ----------
    train, test : ndarray, shape (models, cases)
        Scores of each model at each case.
    samples : int
        Bootstrap realisations, each with models, training and test cases drawn anew.
    seed : int
        Same seed, same interval.

    Returns
    -------
    value, low, high : float

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.numbers.criteria import rank_correlation
    >>> train = np.arange(5.0)[:, None] + np.zeros((5, 4))
    >>> round(rank_correlation(train, train**2, samples=50)[0], 6)
    1.0
    """
    rng = np.random.default_rng(seed)
    value = _spearman(train.mean(axis=1), test.mean(axis=1))
    drawn = []
    for _ in range(samples):
        models = rng.integers(len(train), size=len(train))
        first = train[:, rng.integers(train.shape[1], size=train.shape[1])].mean(axis=1)[models]
        second = test[:, rng.integers(test.shape[1], size=test.shape[1])].mean(axis=1)[models]
        if np.ptp(first) > 0 and np.ptp(second) > 0:
            drawn.append(_spearman(first, second))
    low, high = np.quantile(drawn, [0.05, 0.95]) if drawn else (np.nan, np.nan)
    return value, float(low), float(high)


def _spearman(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])
