"""Units of work: what was chosen, and its peers, on digits that no choice of it has used."""

import json
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import xarray as xr
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import BaseCrossValidator, GridSearchCV, KFold, StratifiedKFold
from sklearn.svm import SVC

from ....models.data.choices import choose
from ..design.confirming import BLOCKS, SHUFFLED
from ..design.declarations import Experiment
from ..design.digits import Digits, digits
from .baselines import FOLDS
from .coding import class_probability
from .sampling import draw
from .scores import diagnose, thinned_outputs

LENGTH = 5.0  # of the process at first; it is learnt
GRIDS: dict[str, dict[str, Any]] = {
    "SVM": {"C": np.geomspace(0.1, 1000.0, 9), "gamma": np.geomspace(1e-4, 1.0, 17)},
    "logistic regression": {"C": np.geomspace(1e-3, 1e2, 11)},
    "boosted trees": {"learning_rate": (0.05, 0.1, 0.2), "max_leaf_nodes": (7, 31)},
    "Gaussian process": {},
}
SPLITS: dict[str, BaseCrossValidator] = {
    BLOCKS: KFold(FOLDS),  # those of the network's choice
    SHUFFLED: StratifiedKFold(FOLDS, shuffle=True, random_state=0),
}
PEERS: dict[str, Callable[[], Any]] = {
    "SVM": SVC,
    "logistic regression": lambda: LogisticRegression(max_iter=5000),
    "boosted trees": lambda: HistGradientBoostingClassifier(max_iter=200, random_state=0),
    "Gaussian process": lambda: GaussianProcessClassifier(
        ConstantKernel(1.0) * RBF(LENGTH), random_state=0
    ),
}


def unseen(data: Digits) -> np.ndarray:
    """Inputs of all images that are not trained on: those between the sets, then the test cases."""
    return np.concatenate([data.X_between, data.X_test])


def confirm_network(experiment: Experiment) -> xr.Dataset:
    """Sample a network on codes, and predict all images that are not trained on.

    Parameters
    ----------
    experiment : Experiment
        The declaration.

    Returns
    -------
    Dataset
        ``probability`` of the classes of each case, by chain; ``predicted``: its most probable
        class, by all chains; diagnostics of :func:`.scores.diagnose` over class probabilities, as
        ``outputs_*``; ``seconds``.
    """
    model, idata, seconds = draw(experiment)
    probability = class_probability(model, idata, unseen(digits(experiment.network.inputs)))
    found = diagnose(thinned_outputs(probability))
    means = probability.mean("draw").values.astype(np.float32)
    result = xr.Dataset(
        {
            "probability": (("chain", "case", "class"), means),
            "predicted": ("case", means.mean(axis=0).argmax(axis=-1)),
            "seconds": seconds,
        }
    ).assign({f"outputs_{name}": value for name, value in found.items()})
    result.attrs["declaration"] = json.dumps(experiment.declaration())
    return result


def confirm_peer(name: str, inputs: str, folds: str = BLOCKS) -> xr.Dataset:
    """Fit another classifier, and predict all images that are not trained on.

    Settings are those of a plain grid that classify most of the left-out training cases rightly,
    the first of them where several do. A Gaussian process learns its own from its evidence.

    Parameters
    ----------
    name : {"SVM", "logistic regression", "boosted trees", "Gaussian process"}
        The classifier.
    inputs : str
        What it sees, from :data:`.digits.INPUTS`.
    folds : {"blocks", "shuffled"}
        Whether blocks of neighbours are left out, as by :func:`.fits.fit_fold`, or cases at random,
        so that the same writers are on both sides.

    Returns
    -------
    Dataset
        ``predicted`` class of each case; ``probability``, with one chain, where there is one: an
        SVM gives none; ``seconds``.
    """
    data, begin = digits(inputs), perf_counter()
    model, grid = PEERS[choose("classifier", name, PEERS)](), GRIDS[name]
    if grid:
        model = GridSearchCV(model, grid, cv=SPLITS[choose("folds", folds, SPLITS)])
    model.fit(data.X, data.y)
    X = unseen(data)
    result = xr.Dataset({"predicted": ("case", model.predict(X))})
    if hasattr(model, "predict_proba"):
        cells = ("chain", "case", "class")
        result = result.assign(probability=(cells, model.predict_proba(X)[None]))
    result.attrs["settings"] = json.dumps(getattr(model, "best_params_", {}), default=float)
    return result.assign(seconds=perf_counter() - begin)
