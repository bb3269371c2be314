"""Choose step size and length of trajectories as Neal's thesis does."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from pymc.blocking import PointType
from threadpoolctl import threadpool_limits

from ...models.bnn import BNN
from ..compiled.engine import one_thread_at_a_time
from ..options import check_whole, model_at_hand, one_seed
from ..recommended import N_LEAPFROG, recommended_step, recommended_steps
from ..starts import dispersed_starts
from ..steps.gibbs_hmc import GibbsHMC
from .along import look_along
from .choice import TrajectoryChoice
from .effective import effective_draws, gradients_of_a_draw
from .energy_errors import energy_errors
from .rule import choose_factor, choose_length

FACTORS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5)
LENGTHS = (30, 100, 300, 1000)
TRAJECTORIES = 20  # of each chain and factor
FEWEST_DRAWS = 20  # trajectories of a chain whose effective draws are counted
FEWEST_RECORDED = 4  # of them, of which short ones make one draw together
FEWEST_CHAINS = 3


@one_thread_at_a_time
def tune_trajectory(
    model: pm.Model | None = None,
    *,
    seed: int | np.random.Generator | None = None,
    factors: Sequence[float] = FACTORS,
    lengths: Sequence[int] = LENGTHS,
    gradients: int = 50_000,
    chains: int = 8,
    tune: int = 200,
) -> TrajectoryChoice:
    r"""Choose step size and length of trajectories by three plots (Neal 1995, 3.3).

    From where a short run of the recommended step ends, the initial phase, it looks (Neal 1995,
    Figs. 3.3, 3.4 and 3.6)

    1. at errors :math:`\Delta H` in the energy of trajectories of 100 leapfrogs by the step size
       adjustment factor :math:`\eta`, and at what a gradient moves, :math:`m`,
    2. at outputs and sizes of weights, :math:`x_t` after :math:`t` leapfrogs, along trajectories of
       10 000 with the precisions held, and at their autocorrelations :math:`\rho`,
    3. at effective draws of chains with several lengths :math:`L` at equal numbers of gradients:
       those of the slowest quantity :math:`k`, :math:`r` of them for each pass through the network,
       by the mean of logarithms over :math:`C` chains.

    .. math::

        m(\eta) &= \eta\, \overline{\min(1, e^{-\Delta H})}, \qquad
        \rho(t) = \mathrm{corr}(x_s, x_{s + t}), \\
        \log r(L) &= \min_k \frac{1}{C} \sum_{c=1}^C \log n_{ck}(L)
        - \frac{1}{C} \sum_{c=1}^C \log(\text{passes of chain } c), \qquad
        n_{ck} = N \big/ \bigl(1 + 2 \sum_{t \ge 1} \rho_{ck}(t)\bigr)

    with :math:`N` draws of a chain and autocorrelations of ranks, as ArviZ estimates them.

    :func:`.rule.choose_factor` chooses by the first and :func:`.rule.choose_length` by the third.
    The second is for the eye: while a trajectory runs no precision moves, so that it cannot say
    what is best for them. All rests on chains within their modes, and on the initial phase having
    come to an end, which the thesis's had not (3.3.2).

    Parameters
    ----------
    model : BNN, optional
        A network that :class:`GibbsHMC` samples by itself (:func:`recommended_steps`); by default
        that of the context.
    seed : int or Generator, optional
        The same seed gives the same choice.
    factors : sequence of float
        Step size adjustment factors to try.
    lengths : sequence of int
        Leapfrogs of a trajectory to try.
    gradients : int
        Of each chain with each length.
    chains : int
        Chains from dispersed starts, by which results are averaged and errors judged.
    tune : int
        Draws of the initial phase.

    Returns
    -------
    TrajectoryChoice
        After Ctrl-C, by the lengths that were done by then and undecided, if there are two at
        least.

    Raises
    ------
    ValueError
        If an argument is not valid, or another step samples the model.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))
    >>> choice = samplers.tune_trajectory(model, seed=1, lengths=(10, 100), gradients=2000, tune=50)
    >>> choice.n_leapfrog in (10, 100)
    True
    >>> [step.name for step in choice.steps(model)]
    ['gibbs_hmc']
    """
    model = _network(model)
    _check_factors(factors)
    _check_lengths(lengths, gradients)
    check_whole(FEWEST_CHAINS, chains=chains)
    check_whole(1, tune=tune)
    begin, look, follow, compare = one_seed(seed, None).spawn(4)
    with threadpool_limits(1, user_api="blas"):
        points = _initial_phase(model, chains, tune, begin)
        step = GibbsHMC(jitter="uniform", model=model)
        factor = choose_factor(energy_errors(step, points, factors, TRAJECTORIES, look))
        if factor.value is None:
            nothing = xr.Dataset(), xr.Dataset()
            return TrajectoryChoice(factor.word, None, None, factor.reason, factor.table, *nothing)
        along = look_along(model, points, factor.value, follow)
        step.step_scale = factor.value
        found = effective_draws(model, step, points, lengths, gradients, compare)
    length = choose_length(found, N_LEAPFROG)
    word, reason = length.word, f"{length.reason} {factor.reason}"
    if left := ", ".join(map(str, lengths[found.sizes["length"] :])):
        word, reason = "undecided", f"Interrupted before L = {left}. {reason}"
    chosen = length.value, factor.value, reason
    return TrajectoryChoice(word, *chosen, factor.table, along, length.table)


def _initial_phase(model: BNN, chains: int, tune: int, rng: np.random.Generator) -> list[PointType]:
    """Run the recommended step from dispersed starts; return where chains end."""
    (step,) = recommended_steps(model)
    starts, *children = rng.spawn(1 + chains)
    points = []
    for point, child in zip(dispersed_starts(model, chains, starts), children, strict=True):
        step.setup_chain(child, tune, 0)
        for _ in range(tune):
            point, _ = step.step(point)
        points.append(point)
    return points


def _network(model: Any) -> BNN:
    found = model_at_hand(model)
    if not isinstance(found, BNN):
        raise ValueError("model is no pymc_bnn network: use samplers.sample, which learns steps.")
    step = recommended_step(found)
    if step is not GibbsHMC:
        raise ValueError(
            f"model is sampled by {step.__name__}, and trajectories are chosen for GibbsHMC: use "
            "samplers.sample, which learns step sizes."
        )
    return found


def _check_factors(factors: Any) -> None:
    given = list(factors) if np.ndim(factors) == 1 else []
    right = all(isinstance(one, Real) and 0 < float(one) < np.inf for one in given)
    if not given or not right or len(set(given)) < len(given):
        raise ValueError(f"factors={factors!r}: give one or more different positive numbers.")


def _check_lengths(lengths: Any, gradients: Any) -> None:
    given = list(lengths) if np.ndim(lengths) == 1 else []
    if len(given) < 2 or len(set(given)) < len(given):
        raise ValueError(f"lengths={lengths!r}: give two or more different whole numbers.")
    for one in given:
        check_whole(1, lengths=one)
    each = max(map(gradients_of_a_draw, given))
    check_whole(max(FEWEST_DRAWS * max(given), FEWEST_RECORDED * each), gradients=gradients)
