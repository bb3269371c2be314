"""Choosing a network by what the training cases say (Lau 2018, 4.12)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy.optimize import minimize_scalar

from ..design.candidates import is_one_layer_on_pixels
from ..design.declarations import Experiment
from ..runs.scores import log_of
from .results import Results, observed
from .stacking import counted, stacking_weights
from .tables import predictive

SHARPEST, BLUNTEST = 8.0, 0.25
CRITERIA = ("WAIC", "LOO", "K-fold")


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
    >>> from pymc_bnn.studies.lau2018.numbers.choice import exponent
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

    K-fold also gives the weights of an average of networks, and the exponent that sharpens its
    predictions; rows say whether probabilities are sharpened.
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
            if best is not None:
                held_out = best.held_out if criterion == "K-fold" else None
                row = {"among": title, "chosen by": criterion, "network": best.experiment.row}
                rows += _scored(row, best.fit["probability"].values, held_out)
        rows += _stacked(title, [one for one in members if one.held_out is not None])
    return pd.DataFrame(rows)


def _scored(
    row: dict[str, str], probability: np.ndarray, held_out: np.ndarray | None
) -> list[dict[str, object]]:
    """Rows of predictions as they are and, where an exponent can be learnt, sharpened."""
    rows: list[dict[str, object]] = [{**row, "exponent": 1.0, **predictive(probability)}]
    if held_out is not None:
        gamma = exponent(held_out, observed(test=False))
        sharp = sharpened(probability.mean(axis=0), gamma)
        rows.append({**row, "exponent": gamma, **predictive(sharp[None])})
    return rows


def _stacked(title: str, members: list[Scored]) -> list[dict[str, object]]:
    """Rows of the average of networks that K-fold predictions weight."""
    if len(members) < 2:
        return []
    weights = stacking_weights(np.exp([one.train["K-fold"] for one in members]))
    held_out = np.tensordot(weights, [one.held_out for one in members], 1)
    tests = [one.fit["probability"].values.mean(axis=0) for one in members]
    name = f"average of {counted(weights)}"
    row = {"among": title, "chosen by": "K-fold weights", "network": name}
    return _scored(row, np.tensordot(weights, tests, 1)[None], held_out)


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
