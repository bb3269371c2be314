"""What is not Bayesian: committees of early-stopped networks, logistic regression, an SVM."""

import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from ....models.data.choices import choose
from ..design.digits import CLASSES, digits
from .scores import score_probabilities

SIZES = (2, 5, 10, 100, 1000)  # members of a committee, Table 4.1
UNITS = 35
FOLDS = 5
COSTS = np.geomspace(1e-2, 1e2, 9)  # scikit-learn's C
WIDTHS = np.geomspace(1e-3, 1.0, 10)  # of the radial basis function, scikit-learn's gamma


def train_committee(inputs: str, members: int, seed: int = 0) -> xr.Dataset:
    """Train networks with early stopping, and count the errors of committees of them.

    A member is scikit-learn's network of 35 tanh units, with its defaults: Adam, and a tenth of the
    training cases held out to say when to stop. A committee averages probabilities.

    Parameters
    ----------
    inputs : str
        What the networks see, from :data:`.digits.INPUTS`.
    members : int
        How many networks to train.
    seed : int
        Same seed, same networks.

    Returns
    -------
    Dataset
        Along ``size``: means over disjoint committees of ``test_error``, ``log_score`` and
        ``calibration_error``, the standard error ``monte_carlo`` of the first, and the number of
        ``committees``; ``wrong``, the share of them that errs on each ``case``; ``seconds`` in all.
    """
    data, begin = digits(inputs), perf_counter()
    probability = np.empty((members, len(data.y_test), CLASSES))
    for member in range(members):
        network = MLPClassifier(
            (UNITS,), activation="tanh", early_stopping=True, random_state=1_000_000 * seed + member
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            network.fit(data.X, data.y)
        probability[member] = network.predict_proba(data.X_test)
    sizes = [size for size in (1, *SIZES) if size <= members]
    rows = [score_committees(probability, data.y_test, size) for size in sizes]
    columns: dict[str, Any] = {name: ("size", [row[name] for row in rows]) for name in rows[0]}
    wrong = [wrong_by_case(probability, data.y_test, size) for size in sizes]
    columns["wrong"] = (("size", "case"), wrong)
    return xr.Dataset(columns | {"seconds": perf_counter() - begin}, coords={"size": sizes})


def score_committees(probability: np.ndarray, observed: np.ndarray, size: int) -> dict[str, float]:
    """Score all disjoint committees of a size.

    Parameters
    ----------
    probability : ndarray, shape (members, cases, classes)
        What each member predicts.
    observed : ndarray of int, shape (cases,)
        What the cases are.
    size : int
        Members of a committee.

    Returns
    -------
    dict of str to float
        As :func:`train_committee` describes them. ``monte_carlo`` is undefined where there is
        only one committee.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.baselines import score_committees
    >>> probability = np.array([[[0.9, 0.1]], [[0.6, 0.4]], [[0.2, 0.8]], [[0.1, 0.9]]])
    >>> score_committees(probability, np.array([0]), 2)["test_error"]
    0.5
    """
    means = _means(probability, size)
    rows = []
    for mean in means:
        scores = score_probabilities(mean, observed)
        rows.append(
            (
                float((mean.argmax(axis=1) != observed).mean()),
                scores["log_score"],
                scores["calibration_error"],
            )
        )
    error, log_score, calibration = np.array(rows).T
    count = len(means)
    spread = error.std(ddof=1) / np.sqrt(count) if count > 1 else np.nan
    return {
        "test_error": float(error.mean()),
        "monte_carlo": float(spread),
        "log_score": float(log_score.mean()),
        "calibration_error": float(calibration.mean()),
        "committees": float(count),
    }


def wrong_by_case(probability: np.ndarray, observed: np.ndarray, size: int) -> np.ndarray:
    """Share of all disjoint committees of a size that err on each case.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.lau2018.runs.baselines import wrong_by_case
    >>> probability = np.array([[[0.9, 0.1], [0.7, 0.3]], [[0.2, 0.8], [0.6, 0.4]]])
    >>> wrong_by_case(probability, np.array([0, 1]), 1)
    array([0.5, 1. ])
    """
    wrong = _means(probability, size).argmax(axis=-1) != observed
    return np.asarray(wrong.mean(axis=0))


def _means(probability: np.ndarray, size: int) -> np.ndarray:
    """Mean probabilities of all disjoint committees of a size."""
    count = len(probability) // size
    committees = probability[: count * size].reshape(count, size, *probability.shape[1:])
    return np.asarray(committees.mean(axis=1))


def _logistic_regression(X: np.ndarray, y: np.ndarray, cv: StratifiedKFold) -> Any:
    regression = LogisticRegression(max_iter=5000)
    return GridSearchCV(regression, {"C": COSTS}, cv=cv, scoring="neg_log_loss").fit(X, y)


def _calibrated_svm(X: np.ndarray, y: np.ndarray, cv: StratifiedKFold) -> Any:
    grid = GridSearchCV(SVC(), {"C": (1.0, 10.0, 100.0), "gamma": WIDTHS}, cv=cv).fit(X, y)
    return CalibratedClassifierCV(SVC(**grid.best_params_), cv=cv, ensemble=False).fit(X, y)


BASELINES: dict[str, Callable[[np.ndarray, np.ndarray, StratifiedKFold], Any]] = {
    "logistic regression": _logistic_regression,
    "calibrated SVM": _calibrated_svm,
}


def fit_baseline(name: str, inputs: str) -> xr.Dataset:
    """Fit a classifier whose settings are chosen by cross-validation on the training cases.

    Parameters
    ----------
    name : {"logistic regression", "calibrated SVM"}
        The SVM has radial basis functions, and its outputs are made probabilities by Platt's
        sigmoid, fitted to cross-validated outputs.
    inputs : str
        What it sees, from :data:`.digits.INPUTS`.

    Returns
    -------
    Dataset
        ``probability`` of the test cases, with one chain; ``seconds``.
    """
    data, begin = digits(inputs), perf_counter()
    cv = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    model = BASELINES[choose("baseline", name, BASELINES)](data.X, data.y, cv)
    probability = model.predict_proba(data.X_test)
    cells = ("chain", "case", "class")
    return xr.Dataset({"probability": (cells, probability[None])}).assign(
        seconds=perf_counter() - begin
    )
