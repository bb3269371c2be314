"""Annealing runs in both directions: importance weights that bound the evidence, and integrals."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from scipy.special import stdtrit

from ...models.data.choices import choose
from ..one_chain import iterate_chain
from ..options import STEP_OPTIONS, check_whole, model_at_hand, one_seed
from ..tempering.groups import diverged_in_words
from ..tempering.ladder import PILOT, PILOT_DRAWS, equal_acceptance
from ..tempering.replica_exchange import ReplicaExchange
from .along_runs import Integrated, integrated
from .biased_steps import refuse_biased_steps
from .cautions import cut
from .evidence import with_potentials
from .works import Estimate, from_both, from_posterior, from_prior

FINE = 0.85  # probability of a swap between neighbours on the way
FEWEST_RUNS = 2
FEW_RUNS = 10  # below this many, errors are known too badly for an interval of two of them
OF_LADDERS = "method", "steps", "iterations_per_swap"
APART = 5  # iterations of the ladder between two starts
CHANCE = 3e-5  # of a caution for nothing on either side, more where works are skewed
ASSUMED = (
    "Runs start from draws of the prior and of the posterior, with all of its modes: a ladder of "
    "replicas gives them.",
    f"Runs are independent of each other, though the ladder moves only {APART} times between two "
    "starts.",
    "Log weights of runs spread by about 1 nat or less, or runs are many: of wider ones the "
    "standard errors are too small.",
)


@dataclass(frozen=True)
class AnnealedEvidence:
    """What annealing runs in both directions say of the log evidence.

    Attributes
    ----------
    lower, upper : Estimate
        By runs from the prior, below the log evidence on average, and by runs from the posterior,
        above it; each with its standard error.
    both : Estimate
        Mean of the two, weighted by their inverse variances; see :func:`.works.from_both`. Its
        standard error is larger where they are apart. What the prior holds beyond the posterior's
        support only the former knows.
    integrated : Integrated
        Thermodynamic integration along the same runs, and by how much they lag.
    temperatures : int
        Of a run.
    assumed : tuple of str
        What the estimates rest on.
    cautions : tuple of str
        What speaks against the estimates: fewer runs than errors need, starts from a ladder that
        hardly swaps somewhere, runs that an interruption left out, temperatures at which iterations
        diverged, bounds that are apart and states that lag by more than their errors explain.
    """

    lower: Estimate
    upper: Estimate
    both: Estimate
    integrated: Integrated
    temperatures: int
    assumed: tuple[str, ...] = ASSUMED
    cautions: tuple[str, ...] = ()


def annealed_evidence(
    model: pm.Model | None = None,
    runs: int = 100,
    tune: int = 500,
    seed: int | np.random.Generator | None = None,
    moves: int = 1,
    **options: Any,
) -> AnnealedEvidence:
    r"""Bound the log evidence by annealing from prior to posterior, and back.

    Annealed importance sampling (Neal 2001) from draws of the prior gives an estimate that is too
    small on average, and from draws of the posterior one that is too large. A gap between them that
    their errors do not explain says that runs were too few or did not get through at some
    temperature, of which an estimate from one direction says nothing. Starts, and the step sizes
    at each temperature, come from a ladder of replicas; runs go through twice as many
    temperatures or more. Iterations are not reversible where precisions move before weights, so
    that estimates that need reversed runs, such as Bennett's (1976), are not made.

    The same runs give the evidence by thermodynamic integration too (Neal 1992, Discussion), whose
    error is that of a mean, and whose bias is the lag of their states; see :mod:`.along_runs`. It
    takes slower runs than the bounds: give ``moves`` until the lag is gone.

    Parameters
    ----------
    model : pm.Model, optional
        The model; by default that of the context.
    runs : int
        In each direction, at least 2; fewer than 10 give a caution.
    tune : int
        Iterations in which the ladder learns step sizes.
    seed : int or Generator, optional
        Of all random numbers.
    moves : int
        Iterations at each temperature of a run: with more of them runs are slower, and lag less.
    **options
        Of the recommended steps, such as ``n_leapfrog``.

    Returns
    -------
    AnnealedEvidence
        After Ctrl-C, of the runs that were made by then, if there are two at least.

    Raises
    ------
    ValueError
        If an argument is not valid, or steps cannot temper the model or have no accept test.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=1.0)
    >>> found = samplers.annealed_evidence(model, runs=50, tune=100, seed=1)
    >>> exact = -0.25 - 0.5 * np.log(4 * np.pi)
    >>> bool(abs(found.both.log_evidence - exact) < 4 * found.both.standard_error < 0.4)
    True
    """
    check_whole(FEWEST_RUNS, runs=runs)
    check_whole(1, tune=tune, moves=moves)
    for name in options:
        choose("option", name, (*STEP_OPTIONS, *OF_LADDERS))
    refuse_biased_steps(options.get("steps"))
    model, rng = model_at_hand(model), one_seed(seed, None)
    ladder = ReplicaExchange(PILOT.tolist(), record=False, model=model, **options)
    point, records, diverged = _run(ladder, model.initial_point(), tune, PILOT_DRAWS, rng)
    powers = equal_acceptance(records[None], ladder.inverse, FINE)
    split = tuple(_split(records, ladder.inverse))
    forward, backward = np.empty((2, runs, powers.size))
    made = 0
    try:
        for run in range(runs):
            for _ in range(APART):
                point, _ = ladder.step(point)
            forward[run] = _along(ladder, ladder.replicas[-1], powers[::-1], moves)
            backward[run] = _along(ladder, ladder.replicas[0], powers, moves)[::-1]
            made = run + 1
    except KeyboardInterrupt:
        if made < FEWEST_RUNS:
            raise
    stopped = f"The runs were interrupted: {made} of {runs} in each direction were made."
    cautions = *split, *([diverged] if diverged else []), *([stopped] if made < runs else [])
    answer = _estimates(forward[:made], backward[:made], powers[::-1], cautions)
    return with_potentials(answer, model)


def _estimates(
    forward: np.ndarray, backward: np.ndarray, powers: np.ndarray, cautions: tuple[str, ...]
) -> AnnealedEvidence:
    """Estimate from log likelihoods along runs, temperatures in the order from prior to posterior.

    Each run's work is a sum over the states that it left.
    """
    steps = np.diff(powers)
    works, inverse = forward[:, :-1] @ steps, backward[:, 1:] @ steps
    hot = from_prior(steps[0] * forward[:, 0])
    along = integrated(hot, forward[:, 1:], backward[:, 1:], powers[1:])
    ends = from_prior(works), from_posterior(inverse), from_both(works, inverse)
    errors = float(stdtrit(len(forward) - 1, 1 - CHANCE))
    # what the prior holds beyond the posterior's support is no disagreement
    within = from_prior(works[np.isfinite(works)]) if np.isfinite(works).any() else ends[0]
    checks = *_few(len(forward)), *_apart(within, ends[1], errors), *_lagging(along, errors)
    return AnnealedEvidence(*ends, along, powers.size, cautions=(*checks, *cautions))


def _split(records: np.ndarray, powers: np.ndarray) -> Iterator[str]:
    """Say where the ladder is cut that starts come from."""
    worst = cut(records[None, :, ::-1], powers[::-1])
    if worst is not None:
        yield (
            "The ladder that runs start from hardly swaps between inverse temperatures "
            f"{worst.hotter:.3g} and {worst.colder:.3g} (probability {worst.accepted:.2g}), so "
            "that starts at the posterior may lack modes, of which neither direction tells: "
            "`evidence` makes a ladder that swaps."
        )


def _few(runs: int) -> Iterator[str]:
    """Say it where runs are too few to know their errors."""
    if runs < FEW_RUNS:
        yield (
            f"Runs in each direction are only {runs}: two standard errors on either side hold the "
            "log evidence too seldom (of normal log weights that spread by 1 nat, in 65% of cases "
            f"with 2 runs and in 85% with 5); give {FEW_RUNS} `runs` or more."
        )


def _apart(lower: Estimate, upper: Estimate, errors: float) -> Iterator[str]:
    """Say it where runs of the two directions disagree."""
    gap = upper.log_evidence - lower.log_evidence
    error = float(np.hypot(lower.standard_error, upper.standard_error))
    if abs(gap) > errors * error:
        yield (
            f"Runs from the prior and from the posterior are {gap:.2g} ± {error:.1g} nats apart: "
            "the log evidence is known no better than that; give more `runs`, or slower ones by "
            "`moves`."
        )


def _lagging(along: Integrated, errors: float) -> Iterator[str]:
    """Say it where states lag behind the temperature, so that integrals are off."""
    lag, error = along.lag.log_evidence, along.lag.standard_error
    if abs(lag) > errors * error:
        yield (
            f"States lag behind the temperature: integrals along runs are off by {lag:.2g} ± "
            f"{error:.1g} nats in either direction, and `integrated.both` by an unknown part of "
            "it; give more `moves`."
        )


def _run(
    ladder: ReplicaExchange, start: PointType, tune: int, draws: int, rng: np.random.Generator
) -> tuple[PointType, np.ndarray, str]:
    """Let a ladder learn its step sizes; record log likelihoods after that, and what diverged."""
    records, diverging = [], []
    for at in iterate_chain(ladder, start, rng, tune=tune, draws=draws):
        if not at.tuning:
            [statistics] = at.statistics
            records.append(statistics["tempered_log_likelihood"])
            diverging.append(statistics["tempered_diverging"])
    shares = np.mean(diverging, axis=0)
    return at.point, np.array(records), diverged_in_words(ladder.temperatures, shares)


def _along(ladder: ReplicaExchange, point: PointType, powers: np.ndarray, moves: int) -> np.ndarray:
    """Anneal a point along inverse temperatures, and return the log likelihood at each.

    A point of the prior that has no likelihood goes nowhere: minus infinity at all.
    """
    found = np.full(powers.size, -np.inf)
    for k, there in enumerate(powers):
        for _ in range(moves if k else 0):
            point = ladder.moved(point, there)
        found[k] = ladder.log_likelihood(point)
        if powers[0] == 0 and found[0] == -np.inf:
            break
    return found
