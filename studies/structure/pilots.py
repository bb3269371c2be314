"""Short runs of networks on some of the training cases, scored on the others."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.model_selection import train_test_split
from xarray import DataTree

from ...models import normal_inverse_gamma
from ...models.bnn import BNN
from ...models.data.numbers import labelled
from ...models.data.pairing import check_paired
from ...models.data.targets import as_inputs
from ...models.likelihoods import Likelihood
from ...models.likelihoods import likelihood as find_likelihood
from ...samplers import sample
from ..fits.interruption import Interruption

CANDIDATES = ((8,), (16,), (32,), (16, 16))
TUNE, DRAWS, CHAINS = 150, 100, 2
VALIDATION = 0.25
MOST_ROWS = 1500
FEWEST_OF_CLASS = 4  # of fewer a quarter is not even one


@dataclass(frozen=True)
class Pilot:
    """A short run of one network.

    Parameters
    ----------
    hidden : tuple of int
        Its hidden layers.
    log_score : ndarray, shape (cases,)
        Log predictive density of each case that was held out, from its chains together.
    seconds : float
        What it took, compilation included.
    """

    hidden: tuple[int, ...]
    log_score: np.ndarray
    seconds: float


def run_pilots(
    X: Any,
    y: Any,
    likelihood: str | Likelihood,
    activation: str = "tanh",
    *,
    candidates: Sequence[tuple[int, ...]] = CANDIDATES,
    seed: int = 0,
    cores: int | None = None,
    most_seconds: float = math.inf,
    finished: Callable[[Pilot], None] = lambda pilot: None,
) -> list[Pilot]:
    """Fit each candidate to three quarters of the cases, and score it on the last quarter.

    The prior is that of :func:`pymc_bnn.models.normal_inverse_gamma`, whose scales adapt to the
    number of units. Of many cases, 1500 are drawn, within each class.

    Parameters
    ----------
    X : array or DataFrame, shape (cases, inputs)
        Training inputs, in the scale of the model.
    y : array or Series, shape (cases,) or (cases, outputs)
        Training targets, of the same cases in the same order.
    likelihood : str or Likelihood
        Of the targets.
    activation : str
        Of the hidden units.
    candidates : sequence of tuple of int
        Hidden layers, the simplest first.
    seed : int
        For the split and the chains.
    cores : int, optional
        Processes.
    most_seconds : float
        Seconds for all of them: the first is made in any case, and no other of which one as long
        as the longest so far would take more.
    finished : callable, optional
        Called with each pilot.

    Returns
    -------
    list of Pilot
        Of the first candidates, if there was no time for all.

    Raises
    ------
    ValueError
        If X and y do not fit the likelihood or each other.
    KeyboardInterrupt
        If the user stops it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pymc_bnn.studies.structure.pilots import run_pilots
    >>> X = pd.DataFrame({"x": np.linspace(-1, 1, 40)})
    >>> [pilot] = run_pilots(X, np.sin(4 * X["x"]), "gaussian_noise", candidates=[(4,)], cores=1)
    >>> pilot.log_score.shape
    (10,)
    """
    X, y, labels = as_cases(X, y, find_likelihood(likelihood))
    training, validation = _split(len(X), labels, seed)
    found: list[Pilot] = []
    with Interruption() as interruption:  # also of what compiles between two runs
        for hidden in candidates:
            if not time_for_another(found, most_seconds):
                break
            begun = perf_counter()
            part = X.iloc[training], y[training]
            model = normal_inverse_gamma(
                *part, hidden, activation=activation, likelihood=likelihood
            )
            idata = _sample(model, seed, cores, interruption)
            densities = model.log_likelihood(idata, X.iloc[validation], y[validation])
            values = densities.stack(sample=("chain", "draw")).transpose("sample", "obs").values
            score = logsumexp(values, axis=0) - np.log(len(values))
            interruption.check()
            found.append(Pilot(tuple(hidden), score, perf_counter() - begun))
            finished(found[-1])
    return found


def time_for_another(pilots: Sequence[Pilot], most_seconds: float) -> bool:
    """Whether one more pilot, as long as the longest so far, ends within a time for all.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.structure.pilots import Pilot, time_for_another
    >>> made = [Pilot((8,), np.zeros(1), 3.0), Pilot((16,), np.zeros(1), 4.0)]
    >>> time_for_another(made, 12.0), time_for_another(made, 10.0), time_for_another([], 0.0)
    (True, False, True)
    """
    if not pilots:
        return True
    seconds = [pilot.seconds for pilot in pilots]
    return sum(seconds) + max(seconds) <= most_seconds


def _sample(model: BNN, seed: int, cores: int | None, interruption: Interruption) -> DataTree:
    idata = sample(
        model,
        draws=DRAWS,
        tune=TUNE,
        chains=CHAINS,
        cores=cores,
        seed=seed,
        callback=lambda trace, draw: interruption.check(),
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
    )
    # PyMC keeps what a run had when it was stopped; half a pilot is none
    interruption.check()
    return idata


def rows_to_split(y: Any, likelihood: str | Likelihood) -> int:
    """Cases that some can be held out of: none of a class of very few rows.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.structure.pilots import rows_to_split
    >>> rows_to_split(np.array(["a"] * 50 + ["b"] * 30 + ["c"] * 3), "categorical")
    80
    """
    known = find_likelihood(likelihood)
    values = known.encode(labelled(y)).values
    return int((_rows_alike(values) >= FEWEST_OF_CLASS).sum()) if known.classifies else len(values)


def as_cases(
    X: Any, y: Any, likelihood: Likelihood
) -> tuple[pd.DataFrame, np.ndarray | pd.Categorical, np.ndarray | None]:
    """Check cases as a model does: inputs, targets without an index, and codes of classes.

    Codes are in the order of labels, whatever that of the classes: a split goes by them, and is to
    be the same for all likelihoods of the same cases.
    """
    values, names = as_inputs(X)
    targets = likelihood.encode(labelled(y)).values
    check_paired(X, y, len(values), len(targets))
    y = labelled(y)
    if isinstance(y, pd.DataFrame) and likelihood.classifies:
        y = y.iloc[:, 0]
    # a categorical stays one, as it may have an order
    categories = isinstance(getattr(y, "dtype", None), pd.CategoricalDtype)
    plain = pd.Categorical(y) if categories else np.asarray(y)
    inputs = pd.DataFrame(values, columns=list(names))
    if not likelihood.classifies:
        return inputs, plain, None
    codes, _ = pd.factorize(np.ravel(plain), sort=True)
    return inputs, plain if categories else plain.reshape(len(values)), codes


def _rows_alike(labels: np.ndarray) -> np.ndarray:
    """How many rows each row's class has."""
    _, place, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return counts[place]


def _split(rows: int, labels: np.ndarray | None, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to fit to and rows to score; classes of very few rows are all fitted to."""
    every = np.arange(rows)
    few = np.zeros(rows, bool) if labels is None else _rows_alike(labels) < FEWEST_OF_CLASS
    every, always = every[~few], every[few]
    strata = None if labels is None else labels[every]
    sizes = {"test_size": round(VALIDATION * min(len(every), MOST_ROWS))}
    sizes["train_size"] = min(len(every), MOST_ROWS) - sizes["test_size"]
    if strata is not None and len(np.unique(strata)) > sizes["test_size"]:
        strata = None  # there is no room for a row of each class
    training, validation = train_test_split(every, random_state=seed, stratify=strata, **sizes)
    if labels is not None:
        always = np.concatenate([always, _left_out(labels, every, training, validation)])
    training = np.concatenate([training, always])
    return np.sort(training), np.setdiff1d(validation, always)


def _left_out(
    labels: np.ndarray, every: np.ndarray, training: np.ndarray, validation: np.ndarray
) -> np.ndarray:
    """A row of each class that thinning left none of to fit to, if possible none to score."""
    absent = every[~np.isin(labels[every], labels[training])]
    absent = absent[np.argsort(np.isin(absent, validation), kind="stable")]
    _, first = np.unique(labels[absent], return_index=True)
    return absent[first]
