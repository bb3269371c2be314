"""Simpler models, fitted to the cases of a network and scored as it is."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from ...models.bnn import BNN
from ...models.likelihoods import Likelihood
from . import classification, counting, regression
from .cases import Cases, cases_of


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
    words : str
        What it is, for a report.
    """

    name: str
    scores: xr.Dataset
    seconds: float
    words: str = ""


class Kind(NamedTuple):
    """Simpler models of one kind of targets.

    Attributes
    ----------
    fits : mapping of str to callable
        Each takes inputs and targets of training, new inputs and a seed, and predicts.
    words : mapping of str to str
        What each is.
    score : callable
        Takes one of them, the cases and a seed, and returns the scores of a :class:`Baseline`.
    """

    fits: Mapping[str, Callable[..., Any]]
    words: Mapping[str, str]
    score: Callable[[Callable[..., Any], Cases, int], xr.Dataset]


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
        A linear model, a Gaussian process where rows allow it, and boosted trees, by scikit-learn;
        of counts Poisson regression and boosted trees. None of counts whose variance may exceed
        that of a Poisson distribution.

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
    cases, found = cases_of(model, test), {}
    kind = _kind(model, cases)
    for name, fit in kind.fits.items():
        begun = perf_counter()
        try:
            # Where other processes are at work, threads that wait for each other take up to a
            # hundred times as long as one alone.
            with warnings.catch_warnings(), threadpool_limits(1):
                # length scales at their bounds are inputs that do not matter
                warnings.simplefilter("ignore", ConvergenceWarning)
                scores = kind.score(fit, cases, seed)
        except (ValueError, np.linalg.LinAlgError) as error:
            # networks are compared all the same
            said = " ".join(str(error).split())
            warnings.warn(f"the baseline {name!r} is left out: {said}", stacklevel=2)
            continue
        found[name] = Baseline(name, scores, perf_counter() - begun, kind.words[name])
    return found


def has_simpler_models(likelihood: Likelihood) -> bool:
    """Whether there are simpler models to set beside networks with a likelihood.

    Parameters
    ----------
    likelihood : Likelihood
        Of the networks.

    Returns
    -------
    bool
        False of counts whose variance may exceed their mean, as that of a class derived from one
        where it does not: such a network beats any model with a Poisson distribution for that
        alone.

    Examples
    --------
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.baselines.baseline import has_simpler_models
    >>> [has_simpler_models(one) for one in (models.Poisson(), models.NegativeBinomial())]
    [True, False]
    """
    alike = vars(type(likelihood)).get("variance_is_mean", False)
    return bool(alike) or not likelihood.counts


def _kind(model: BNN, cases: Cases) -> Kind:
    """Simpler models of targets such as a network's."""
    rows = len(cases.X)
    if model.likelihood.classifies:
        fits = classification.classifiers(rows, cases.classes)
        return Kind(fits, classification.WORDS, classification.score_classes)
    if model.likelihood.counts:
        fits = counting.count_regressions() if has_simpler_models(model.likelihood) else {}
        return Kind(fits, counting.WORDS, counting.score_counts)
    return Kind(regression.regressions(rows), regression.WORDS, regression.score_normals)
