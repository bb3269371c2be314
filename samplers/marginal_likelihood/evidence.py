"""The evidence with its standard error, and what there is to say about both."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pymc as pm
from threadpoolctl import threadpool_limits

from ..tempering.records import from_prior_to_posterior, ordered
from .cautions import CHECKS, Seen
from .estimators import METHODS
from .jackknife import consecutive_blocks, jackknife

FEWEST_DRAWS = 4


@dataclass(frozen=True)
class Evidence:
    """An estimated log evidence.

    Attributes
    ----------
    log_evidence : float
        Logarithm of the marginal likelihood.
    standard_error : float
        Its standard error.
    method : str
        Name of the estimator.
    assumed : tuple of str
        What any such estimate rests on.
    cautions : tuple of str
        What in these draws speaks against it; empty where nothing does.
    """

    log_evidence: float
    standard_error: float
    method: str
    assumed: tuple[str, ...]
    cautions: tuple[str, ...]


def estimate(
    log_likelihood: np.ndarray, inverse_temperatures: np.ndarray, method: str = "mbar"
) -> Evidence:
    r"""Estimate the log evidence and its standard error from draws at many temperatures.

    The standard error is that of a jackknife over blocks of consecutive draws; see
    :func:`.jackknife.jackknife`.

    Parameters
    ----------
    log_likelihood : ndarray
        Log likelihoods of the draws, shape (chains, draws, temperatures); -inf in the prior only.
    inverse_temperatures : ndarray
        Inverse temperatures, shape (temperatures,), in any order, with 0 and 1 among them.
    method : {"mbar", "stepping_stone", "thermodynamic_integration"}
        Which estimator.

    Returns
    -------
    Evidence
        The estimate, its standard error, and what there is to say about them.

    Examples
    --------
    Energies with density :math:`e^{-u}` at :math:`\beta = 0` have :math:`Z = 1/2`:

    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.evidence import estimate
    >>> powers = np.array([1.0, 0.5, 0.0])
    >>> draws = -np.random.default_rng(1).exponential(1 / (1 + powers), size=(4, 1000, 3))
    >>> found = estimate(draws, powers)
    >>> bool(abs(found.log_evidence - np.log(0.5)) < 3 * found.standard_error)
    True
    >>> found.cautions
    ()
    """
    if method not in METHODS:
        raise ValueError(f'method "{method}" is unknown: use one of {", ".join(METHODS)}.')
    from_prior_to_posterior(log_likelihood, inverse_temperatures)
    values, powers = ordered(log_likelihood, inverse_temperatures)
    if values.shape[1] < FEWEST_DRAWS:
        raise ValueError(
            f"log_likelihood has {values.shape[1]} draws a chain: draw at least {FEWEST_DRAWS}."
        )
    whole = METHODS[method](values, powers)
    if whole == -np.inf:
        raise ValueError(
            "log_likelihood is -inf in all draws of the prior: draw more of them, or use a "
            "narrower prior."
        )
    blocks = consecutive_blocks(*values.shape[:2])
    with threadpool_limits(1, user_api="blas"):  # more cores only wait for each other
        pseudovalues, error = jackknife(METHODS[method], values, powers, blocks)
    seen = Seen(values, powers, method, error, pseudovalues, blocks)
    cautions = tuple(sentence for check in CHECKS for sentence in check(seen))
    return Evidence(whole, error, method, _assumed(blocks), cautions)


def with_potentials[A: Any](answer: A, model: pm.Model) -> A:
    """Add to what an estimate rests on that potentials are taken for likelihood, if there are some.

    Parameters
    ----------
    answer : Evidence or AnnealedEvidence
        The estimate.
    model : pm.Model
        The model.

    Returns
    -------
    Evidence or AnnealedEvidence
    """
    if not model.potentials:
        return answer
    names = ", ".join(str(one.name) for one in model.potentials)
    said = (
        f"The potentials of the model ({names}) belong to the likelihood: one that belongs to the "
        "prior leaves that without its normalising constant, and the evidence with it."
    )
    return replace(answer, assumed=(*answer.assumed, said))


def _assumed(blocks: np.ndarray) -> tuple[str, ...]:
    count = blocks.max() + 1
    return (
        "Chains at each temperature draw from its distribution, with all of its modes.",
        f"The {count} blocks of {blocks.size // count} draws are independent of each other.",
    )
