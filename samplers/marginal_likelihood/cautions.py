"""What in the draws speaks against an estimated evidence, by stated rules."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import xarray as xr
from scipy.special import fdtrc, logsumexp

from ..tempering.ladder import swap_acceptance
from .estimators import stepping_stone, thermodynamic_integration
from .jackknife import jackknife

LEAST_ACCEPTANCE = 0.05
LEAST_MEMORIES_A_BLOCK = 5  # a shorter block hides more than a tenth of the error
MOST_ERRORS = 4
WORST_K = 0.7  # Pareto k of a tail above which a mean is not to be had (Vehtari et al. 2024)
ROUNDING = 1e-9  # relative, by which equal numbers may differ
DISAGREEMENT = 0.001  # false alarms among chains that agree


@dataclass(frozen=True)
class Seen:
    """What checks look at: records from hot to cold, and the jackknife."""

    log_likelihood: np.ndarray
    inverse_temperatures: np.ndarray
    method: str
    standard_error: float
    pseudovalues: np.ndarray
    blocks: np.ndarray


class Pair(NamedTuple):
    """Neighbouring inverse temperatures, and with which probability they swap."""

    hotter: float
    colder: float
    accepted: float


def cut(log_likelihood: np.ndarray, powers: np.ndarray) -> Pair | None:
    """Find the pair of rising inverse temperatures that hardly ever swap, if there is one."""
    accepted = swap_acceptance(log_likelihood, powers)[::-1]
    worst = int(np.argmin(accepted))
    if accepted[worst] >= LEAST_ACCEPTANCE:
        return None
    return Pair(float(powers[worst]), float(powers[worst + 1]), float(accepted[worst]))


def overlap(seen: Seen) -> Iterator[str]:
    """Neighbouring temperatures, from the prior to the posterior, that would hardly swap."""
    part = seen.inverse_temperatures <= 1
    worst = cut(seen.log_likelihood[:, :, part], seen.inverse_temperatures[part])
    if worst is not None:
        yield (
            f"Inverse temperatures {worst.hotter:.3g} and {worst.colder:.3g} hardly overlap: "
            f"swaps would be accepted with probability {worst.accepted:.2g}; put temperatures "
            "between them."
        )


def short_blocks(seen: Seen) -> Iterator[str]:
    """Blocks of the jackknife in which chains do not forget where they were."""
    length = seen.blocks.size // seen.pseudovalues.size
    memory = max(1.0, autocorrelation_time(influences(seen)))
    if length < LEAST_MEMORIES_A_BLOCK * memory:
        yield (
            f"Blocks of {length} draws are short beside the {memory:.1f} draws that chains "
            "remember: the standard error may be too small; draw more."
        )


def chains_agree(seen: Seen) -> Iterator[str]:
    """Chains whose log evidence differs by more than their blocks explain, by an F test."""
    chains = len(seen.blocks)
    if chains == 1 or not np.ptp(seen.pseudovalues) > ROUNDING * np.abs(seen.pseudovalues).max():
        return
    each = seen.pseudovalues.reshape(chains, -1)
    between = each.shape[1] * np.sum((each.mean(axis=1) - each.mean()) ** 2) / (chains - 1)
    free = each.size - chains
    within = np.sum((each - each.mean(axis=1, keepdims=True)) ** 2) / free
    if fdtrc(chains - 1, free, between / within if within else np.inf) < DISAGREEMENT:
        found = ", ".join(f"{value:.2f}" for value in each.mean(axis=1))
        yield (
            f"Chains disagree on the log evidence ({found}) by more than their errors explain: "
            "draw longer."
        )


def integral_is_smooth(seen: Seen) -> Iterator[str]:
    """Thermodynamic integration that differs from stepping stones by more than draws explain."""
    if seen.method != "thermodynamic_integration":
        return

    def difference(log_likelihood: np.ndarray, inverse_temperatures: np.ndarray) -> float:
        stones = stepping_stone(log_likelihood, inverse_temperatures)
        return thermodynamic_integration(log_likelihood, inverse_temperatures) - stones

    records = seen.log_likelihood, seen.inverse_temperatures
    _, error = jackknife(difference, *records, seen.blocks)
    found = difference(*records)
    rounding = ROUNDING * np.abs(seen.pseudovalues).max()
    if abs(found) > max(MOST_ERRORS * error, seen.standard_error, rounding):
        yield (
            f"The integral over temperatures is {abs(found):.2g} from stepping stones through the "
            "same draws: too few temperatures for this method; add some, or use "
            '"mbar" or "stepping_stone".'
        )


def integrand_has_means(seen: Seen) -> Iterator[str]:
    """Log likelihoods with so heavy a tail that their mean is unknown, or does not exist."""
    if seen.method != "thermodynamic_integration":
        return
    part = seen.inverse_temperatures <= 1
    powers = seen.inverse_temperatures[part]
    tails = np.array([left_tail(values) for values in seen.log_likelihood.T[part]])
    if np.any(tails > WORST_K):
        worst = int(np.argmax(tails))
        yield (
            f"The log likelihood has so heavy a tail at inverse temperature {powers[worst]:.3g} "
            f"(Pareto k {tails[worst]:.2g}, above {WORST_K:g}) that its mean is not known, or does "
            'not exist: use "mbar" or "stepping_stone".'
        )


def left_tail(values: np.ndarray) -> float:
    """Pareto k of the lower tail of draws; that of draws which are all the same is minus infinity.

    Parameters
    ----------
    values : ndarray
        Draws, of any shape.

    Returns
    -------
    float
    """
    import arviz  # noqa: F401  # takes nearly half of the imports; brings the accessor

    draws = xr.DataArray(np.ravel(values)[None], dims=("chain", "draw"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few draws in the tail, which other checks judge
        try:
            return float(draws.azstats.pareto_khat(tail="left", r_eff=1.0))
        except ValueError as error:
            if "tail values are the same" not in str(error):
                raise
            return -np.inf


def few_draws_reach(seen: Seen) -> Iterator[str]:
    """An error that leaving out one block makes infinite."""
    if seen.standard_error == np.inf:
        yield (
            "All draws of the prior with a likelihood above 0 are in one block, so the standard "
            "error is unknown: draw more."
        )


def influences(seen: Seen) -> np.ndarray:
    r"""How each draw moves the stepping stone estimate, shape (chains, draws).

    It is :math:`\sum_k (w_{ik} / \bar w_k - 1)` with weights
    :math:`w_{ik} = \exp((\beta_{k+1} - \beta_k) \ell_{ik})`.
    """
    part = seen.inverse_temperatures <= 1
    values = seen.log_likelihood[:, :, part][:, :, :-1]
    weights = np.diff(seen.inverse_temperatures[part]) * values
    means = logsumexp(weights, axis=(0, 1)) - np.log(weights[:, :, 0].size)
    return np.sum(np.exp(weights - means) - 1, axis=2)


def autocorrelation_time(series: np.ndarray) -> float:
    r"""Integrated autocorrelation time :math:`1 + 2 \sum_t \rho_t` of chains of one mean.

    The sum stops before the first pair of lags that adds up to less than 0 (Geyer 1992).

    Parameters
    ----------
    series : ndarray
        Values, shape (chains, draws).

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.marginal_likelihood.cautions import autocorrelation_time
    >>> fresh = np.random.default_rng(1).normal(size=(4, 1000))
    >>> round(autocorrelation_time(np.repeat(fresh, 10, axis=1)))
    10
    """
    draws = series.shape[1]
    spectrum = np.abs(np.fft.rfft(series - series.mean(), 2 * draws)) ** 2
    covariances = np.fft.irfft(spectrum, axis=1)[:, :draws].mean(axis=0)
    if not covariances[0] > 0:
        return 1.0
    correlations = covariances[: draws // 2 * 2] / covariances[0]
    pairs = correlations.reshape(-1, 2).sum(axis=1)
    last = int(np.argmax(pairs < 0)) if np.any(pairs < 0) else pairs.size
    return float(2 * pairs[:last].sum() - 1)


CHECKS: tuple[Callable[[Seen], Iterator[str]], ...] = (
    overlap,
    short_blocks,
    chains_agree,
    integral_is_smooth,
    integrand_has_means,
    few_draws_reach,
)
