"""What in the draws along a bridge speaks against its evidence, by stated rules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pymc.distributions.transforms import _default_transform
from scipy.special import chdtrc, stdtrit

from ..cautions import DISAGREEMENT
from .chain import Crossing

LEAST_ACCEPTANCE = 0.1
MOST_RHAT = 1.05  # of the fit, which has fewer draws than an analysis
POSITIVE = {"log", "log_exp_m1"}  # transforms of all positive numbers
MOST_DIFFERENCE = 1.0  # of two estimates from the same draws, whatever their errors


@dataclass(frozen=True)
class Crossed:
    """What checks look at: the runs, their estimates and errors, and those of stepping stones."""

    crossings: Sequence[Crossing]
    places: np.ndarray
    estimates: np.ndarray
    errors: np.ndarray
    stones: np.ndarray


def diverged(seen: Crossed) -> Iterator[str]:
    """Trajectories whose energy ran away."""
    count = sum(one.divergences for one in seen.crossings)
    if count:
        yield f"{count} trajectories diverged: parts of the posterior may be left out."


def moves(seen: Crossed) -> Iterator[str]:
    """Bridging distributions in which trajectories were hardly ever accepted."""
    accepted = np.min([one.acceptance for one in seen.crossings], axis=0)
    if accepted.min() < LEAST_ACCEPTANCE:
        worst = int(np.argmin(accepted))
        yield (
            f"At lambda = {seen.places[worst]:.2f} a chain accepted a share of "
            f"{accepted[worst]:.2g} of its trajectories: it hardly moved there; use more bridges, "
            "or a transform for variables with walls."
        )


def restricted(model: pm.Model) -> Iterator[str]:
    """Priors that a transform restricts to a part of where they have mass, such as an order.

    Examples
    --------
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.marginal_likelihood.bridges.cautions import restricted
    >>> with pm.Model() as model:
    ...     x, y = pm.Normal("x"), pm.HalfNormal("y")
    >>> list(restricted(model))
    []
    """
    for variable in model.free_RVs:
        transform = model.rvs_to_transforms[variable]
        usual = _default_transform(variable.owner.op, variable)
        names = {getattr(one, "name", "") for one in (transform, usual)}
        same = len(names) == 1 and _bounds(transform) is _bounds(usual)
        if transform is None or same or names <= POSITIVE:
            continue
        yield (
            f"The transform of {variable.name}, {transform.name}, may restrict its prior: the "
            "bridge takes the prior as it is written, whose mass is then less than 1, and evidence "
            "draws from the restricted prior, whose mass is 1."
        )


def circular_names(model: pm.Model) -> list[str]:
    """Names of the angles of a model, whose transform has many values for one."""

    def is_circular(transform: Any) -> bool:
        inner = getattr(transform, "transform_list", ())  # of a chain of them
        return getattr(transform, "name", "") == "circular" or any(map(is_circular, inner))

    return [str(rv.name) for rv in model.free_RVs if is_circular(model.rvs_to_transforms[rv])]


def _bounds(transform: Any) -> Any:
    """Code of what says the bounds of an interval; each variable's function is made anew."""
    return getattr(getattr(transform, "args_fn", None), "__code__", None)


def posterior_mixes(seen: Crossed) -> Iterator[str]:
    """Chains whose energies in the posterior differ."""
    import arviz as az  # takes a second or two, which no draw needs to wait for

    found = float(az.rhat(np.array([one.fit + one.energy for one in seen.crossings])))
    if found > MOST_RHAT:
        yield (
            f"Chains disagree on the energy of the posterior: R-hat is {found:.3f}, above "
            f"{MOST_RHAT}; use more trajectories."
        )


def chains_agree(seen: Crossed) -> Iterator[str]:
    """Chains whose log evidence differs by more than their draws explain."""
    others = seen.estimates.size - 1
    squares = np.sum((seen.estimates - seen.estimates.mean()) ** 2)
    explained = np.mean(seen.errors**2)
    if others and chdtrc(others, squares / explained) < DISAGREEMENT:
        found = ", ".join(f"{value:.2f}" for value in seen.estimates)
        yield (
            f"Chains disagree on the log evidence ({found}) by more than their draws explain: use "
            "more trajectories."
        )


def integral_is_smooth(seen: Crossed) -> Iterator[str]:
    """Simpson's rule that differs from stepping stones by more than draws explain."""
    differences, count = seen.estimates - seen.stones, seen.estimates.size
    each = stdtrit(count - 1, 1 - DISAGREEMENT / 2) / np.sqrt(count)
    found, error = abs(differences.mean()), seen.estimates.std(ddof=1) / np.sqrt(count)
    if found > max(min(each * differences.std(ddof=1), MOST_DIFFERENCE), error):
        yield (
            f"Simpson's rule is {found:.2g} from stepping stones through the same draws: use more "
            "bridges, or another estimate where the quadratic has much of its mass in the tails of "
            "the model."
        )


CHECKS: tuple[Callable[[Crossed], Iterator[str]], ...] = (
    diverged,
    moves,
    posterior_mixes,
    chains_agree,
    integral_is_smooth,
)
