"""The evidence by predicting each case from those before it (Neal 1992)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr

from ...models.bnn import BNN
from ..options import check_whole, model_at_hand, one_seed
from ..recommended import recommended_steps
from ..sampling import sample
from .evidence import Evidence

LARGEST_SHARE = 0.3  # of a mean, which its error may be before the logarithm is doubtful
QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
ASSUMED = (
    "Chains of each posterior draw from it, with all of its modes.",
    "The draws for each case are independent of those for the others.",
)


def sequential_evidence(
    model: pm.Model | None = None,
    draws: int = 1000,
    tune: int = 500,
    chains: int = 4,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> Evidence:
    r"""Estimate the log evidence of a network by predicting its cases one after the other.

    .. math:: p(y_1, \dots, y_n) = \prod_i p(y_i \mid y_1, \dots, y_{i-1})

    (Neal 1992, Eq. 40), each factor as the mean density of a case over draws of the posterior of
    those before it, and the first over draws of the prior. Standard errors of the means come from
    their effective numbers of draws, and add up as independent ones. It takes as many posteriors as
    there are cases, and needs no temperature between them where one case changes little.

    Parameters
    ----------
    model : BNN, optional
        The network; by default that of the context. Its data are the same again afterwards.
    draws, tune, chains : int
        Of each posterior.
    seed : int or Generator, optional
        Of all random numbers.
    **options
        Of the recommended steps, such as ``n_leapfrog``.

    Returns
    -------
    Evidence

    Raises
    ------
    ValueError
        If an argument is not valid, or the model is no network of this package alone.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-0.5, 0.5])
    >>> model = models.gaussian(X, y, hidden=())
    >>> found = samplers.sequential_evidence(model, draws=100, tune=100, seed=1)
    >>> found.method
    'sequential_prediction'
    """
    check_whole(4, draws=draws)
    check_whole(1, chains=chains)
    check_whole(0, tune=tune)
    model, rng = model_at_hand(model), one_seed(seed, None)
    if not isinstance(model, BNN) or model.added:
        raise ValueError(
            "sequential_evidence needs a network of pymc_bnn with nothing added to it, to leave "
            "cases out of; use evidence."
        )
    X, y = model.training_data()
    run = {"draws": draws, "tune": tune, "chains": chains, "cores": 1, **QUIET}
    means, errors = np.empty(len(X)), np.empty(len(X))
    for case in range(len(X)):
        with _first_cases(model, case):
            temperature = 1.0 if case > 0 else np.inf
            step = recommended_steps(model, **options)  # what suits all cases may not suit these
            found = sample(model, seed=rng, temperature=temperature, step=step, **run)
            given = X[case : case + 1], y[case : case + 1]
            log_density = model.log_likelihood(found, *given, trained=case == 0)
        means[case], errors[case] = _log_mean(log_density)
    error = float(np.sqrt(np.sum(errors**2)))
    return Evidence(float(means.sum()), error, "sequential_prediction", ASSUMED, _cautions(errors))


@contextmanager
def _first_cases(model: BNN, count: int) -> Iterator[None]:
    """Leave a model its first cases for a while, at least one.

    A model without cases cannot be compiled. At infinite temperature the one says nothing of the
    weights, and its density given the weights and all other training cases is that given none.
    """
    whole = {name: model[name].get_value() for name in ("X", "y")}
    kept = max(1, count)
    try:
        pm.set_data({name: values[:kept] for name, values in whole.items()}, model)
        yield
    finally:
        pm.set_data(whole, model)


def _log_mean(log_density: xr.DataArray) -> tuple[float, float]:
    """Logarithm of the mean density over draws, and its standard error."""
    import arviz as az  # takes nearly half of the imports

    values = log_density.values[..., 0]
    largest = values.max()
    share = np.exp(values - largest)
    mean = float(share.mean())
    return float(np.log(mean) + largest), float(az.mcse(share)) / mean


def _cautions(errors: np.ndarray) -> tuple[str, ...]:
    doubtful = int(np.sum(~(errors < LARGEST_SHARE)))
    if not doubtful:
        return ()
    return (
        f"The mean density of {doubtful} of {errors.size} cases is known to no better than "
        f"{LARGEST_SHARE:.0%}: few draws predict them. Draw more, or use evidence.",
    )
