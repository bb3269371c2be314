"""Choosing a network by what the training cases say (Lau 2018, 4.12)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import minimize_scalar
from scipy.stats import rankdata

from .candidates import is_one_layer_on_pixels
from .declarations import Experiment
from .results import Results, observed
from .tables import predictive

LARGEST_K = 0.7
SHARPEST, BLUNTEST = 8.0, 0.25
CRITERIA = ("WAIC", "LOO", "K-fold")
SAMPLES = 2000


@dataclass(frozen=True)
class Scored:
    """A candidate with pointwise scores.

    Parameters
    ----------
    experiment : Experiment
        The candidate.
    fit : Dataset
        Its result.
    train : dict of str to ndarray, shape (500,)
        Log predictive density of each training case by each criterion; undefined if not there.
    test : ndarray, shape (500,)
        Log predictive density of each test case.
    held_out : ndarray, shape (500, 10), optional
        Probabilities of training cases that were predicted without their block.
    """

    experiment: Experiment
    fit: xr.Dataset
    train: dict[str, np.ndarray]
    test: np.ndarray
    held_out: np.ndarray | None


def score_candidates(results: Results) -> list[Scored]:
    """Score all candidates that are there."""
    truth, scored = observed(), []
    for experiment, fit in results.candidates():
        held_out = results.held_out(experiment)
        missing = np.full(len(truth), np.nan)
        by_folds = missing if held_out is None else log_of(held_out, observed(test=False))
        train = {"WAIC": fit["waic"].values, "LOO": fit["loo"].values, "K-fold": by_folds}
        test = log_of(fit["probability"].values.mean(axis=0), truth)
        scored.append(Scored(experiment, fit, train, test, held_out))
    return scored


def log_of(probability: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Log probability of the true class of each case, no less than that of one draw in a million.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.choice import log_of
    >>> log_of(np.array([[1.0, 0.0]]), np.array([1])).round(1)
    array([-13.8])
    """
    return np.log(np.maximum(probability[np.arange(len(truth)), truth], 1e-6))


def choose_best(scored: list[Scored], criterion: str) -> Scored | None:
    """Candidate that a criterion prefers, or None if it is not there for any.

    Parameters
    ----------
    scored : list of Scored
        The candidates.
    criterion : {"WAIC", "LOO", "K-fold"}
        The criterion.
    """
    known = [one for one in scored if np.isfinite(one.train[criterion]).all()]
    return max(known, key=lambda one: float(one.train[criterion].sum()), default=None)


def exponent(held_out: np.ndarray, truth: np.ndarray) -> float:
    r"""Exponent :math:`\gamma` that makes held-out probabilities :math:`p^\gamma` most likely.

    It sharpens predictions that are less sure than they should be (temperature scaling; Guo et al.
    2017), and is learnt from training cases that were predicted without their block.

    Parameters
    ----------
    held_out : ndarray, shape (cases, classes)
        Probabilities.
    truth : ndarray of int, shape (cases,)
        What the cases are.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.choice import exponent
    >>> held_out = np.array([[0.6, 0.4]] * 10)
    >>> gamma = exponent(held_out, np.array([0] * 9 + [1]))  # nine in ten are right
    >>> round((0.6 / 0.4) ** gamma)
    9
    """

    def loss(log_gamma: float) -> float:
        return -float(log_of(sharpened(held_out, np.exp(log_gamma)), truth).sum())

    bounds = np.log(BLUNTEST), np.log(SHARPEST)
    return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def sharpened(probability: np.ndarray, gamma: float) -> np.ndarray:
    """Raise probabilities to a power, and normalize them."""
    powers = np.maximum(probability, 1e-12) ** gamma
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def chosen(results: Results) -> pd.DataFrame:
    """What each criterion chooses, among which networks, and how that predicts the test cases.

    Rows say whether the probabilities are those of the network or sharpened by the exponent that
    K-fold predictions of the training cases give.
    """
    scored, rows = score_candidates(results), []
    groups: dict[str, Callable[[Experiment], bool]] = {
        "one layer on pixels": is_one_layer_on_pixels,
        "one layer": lambda experiment: len(experiment.network.hidden) == 1,
        "any network": lambda _: True,
    }
    for title, among in groups.items():
        members = [one for one in scored if among(one.experiment)]
        for criterion in CRITERIA:
            best = choose_best(members, criterion)
            if best is None:
                continue
            probability = best.fit["probability"].values
            row = {"among": title, "chosen by": criterion, "network": best.experiment.row}
            rows.append({**row, "exponent": 1.0, **predictive(probability)})
            if best.held_out is not None and criterion == "K-fold":
                gamma = exponent(best.held_out, observed(test=False))
                sharp = sharpened(probability.mean(axis=0), gamma)
                rows.append({**row, "exponent": gamma, **predictive(sharp[None])})
    return pd.DataFrame(rows)


def baselines(results: Results) -> pd.DataFrame:
    """Logistic regression and the calibrated SVM on the same split."""
    rows = []
    for name in ("logistic regression", "calibrated SVM"):
        for inputs in ("unit", "edges"):
            found = results.baseline(name, inputs)
            if found is not None:
                row = {"classifier": name, "inputs": inputs}
                rows.append({**row, **predictive(found["probability"].values)})
    table = pd.DataFrame(rows)
    return table.drop(columns="± chains") if len(table) else table


def candidates(results: Results) -> pd.DataFrame:
    """All candidates: what training cases say of them, per case, and what test cases say."""
    rows = []
    for one in score_candidates(results):
        means = {name: float(np.mean(values)) for name, values in one.train.items()}
        k = float(np.mean(one.fit["pareto_k"].values > LARGEST_K))
        row = {"network": one.experiment.row, "weights": one.experiment.network.dimension()}
        rows.append({**row, **means, "k > 0.7": k, **predictive(one.fit["probability"].values)})
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
    >>> from pymc_bnn.studies.lau2018.choice import rank_correlation
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
