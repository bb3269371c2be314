"""The evidence of a model with one mode, measured from a quadratic fitted to its posterior."""

from typing import Any

import numpy as np
import pymc as pm

from ....models.data.choices import choose
from ....models.simd.one_thread import alone
from ...compiled.memory import initial_point
from ...options import check_free, check_whole, model_at_hand, one_seed
from ...potential.temperature import at_temperature
from ...starts import chain_starts, dispersed_starts
from ...steps.bases.block_choice import check_continuous
from ...steps.bases.untempered import flat_names
from ..estimators import stepping_stone
from ..evidence import Evidence, with_potentials
from .cautions import CHECKS, Crossed, circular_names, restricted
from .chain import Chain, Crossing
from .dynamics import BridgeDynamics
from .quadratic import integral

FEWEST_CHAINS = 2
FEWEST_TRAJECTORIES = 4
ASSUMED = (
    "The posterior has one mode, that around the minimum or start that was found: chains that "
    "begin there reach all of its mass, and other modes do not count.",
    "Chains forget the last bridging distribution before they record the next one.",
)


@alone
def bridge_evidence(
    model: pm.Model | None = None,
    bridges: int = 100,
    trajectories: int = 100,
    chains: int = 4,
    n_leapfrog: int = 100,
    centre: str = "minimum",
    initvals: Any = None,
    seed: int | np.random.Generator | None = None,
) -> Evidence:
    r"""Estimate the log evidence by a bridge from the posterior to a fitted quadratic.

    Hamiltonian Monte Carlo samples :math:`e^{-J}`, the posterior without its normalising constant,
    and a quadratic with a diagonal matrix is fitted around a centre. Then it samples one
    distribution after the other, from the posterior to the normal one of the quadratic, whose
    integral is known; the mean difference of both energies, integrated along the way by Simpson's
    rule, is the logarithm of the ratio of both integrals (Baldock & Marzari 2019, 4.3, Eqs. 18-26;
    see :mod:`.quadratic`). The prior is never sampled, so that it may be much wider than the
    posterior. The estimate is the mean of independent chains, each with its own fit; its standard
    error is what they say of each other, with ``chains - 1`` degrees of freedom.

    The end of the bridge is the weak place: the mean of :math:`J` over the normal distribution
    is huge where :math:`J` grows exponentially in its tails, as with log precisions of a
    hierarchical network that the data leave wide. Standard error and cautions then say that the
    estimate is of no use; :func:`.measuring.evidence` has no such end.

    All is done in PyMC's unconstrained coordinates. Deviations from the paper: step sizes
    follow the fitted widths of the components instead of being the same for all; uniform priors
    without transform keep their walls while the quadratic is fitted, which changes how good the fit
    is but not the evidence; and the last distribution, a normal one, is drawn from directly.

    Parameters
    ----------
    model : pm.Model, optional
        The model, by default that of the context; all of its free variables are continuous.
    bridges : int
        Distributions between posterior and quadratic.
    trajectories : int
        Recorded by each chain in each distribution, after as many that are not; ten times as many
        for the fit.
    chains : int
        Independent runs, at least 2; the paper's error is that of 28.
    n_leapfrog : int
        Leapfrog steps per trajectory.
    centre : {"minimum", "mean", "start"}
        Centre of the quadratic: a minimum of :math:`J`, as in the paper, the mean of the
        posterior's draws, or where the chain starts. Models with scales of their own to learn may
        have no minimum, or one far from where the posterior's mass is; the likelihood of a network
        in a wide box may grow until weights lie at its walls, so that a minimum that
        :func:`.minimize` found on the way is given as a start.
    initvals : dict or sequence of dict, optional
        Where each chain, or its search for a minimum, starts, as for ``pm.sample``; by default all
        chains start together, at a dispersed random point.
    seed : int or Generator, optional
        Of all random numbers.

    Returns
    -------
    Evidence
        Log evidence, standard error, what was assumed, and cautions that the draws give. Ctrl-C
        returns what the chains that were whole say, if there are two of them.

    Raises
    ------
    ValueError
        If an argument is not valid, a free variable is discrete, a prior is flat, no minimum is
        found, or a chain does not move.
    SamplingError
        If the log density at a given point is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import samplers
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x")
    ...     y = pm.Normal("y", x, observed=1.0)
    >>> found = samplers.bridge_evidence(model, bridges=5, trajectories=20, n_leapfrog=5, seed=1)
    >>> exact = -0.25 - 0.5 * np.log(4 * np.pi)
    >>> bool(abs(found.log_evidence - exact) < 0.1)
    True
    """
    check_whole(1, bridges=bridges, n_leapfrog=n_leapfrog)
    check_whole(FEWEST_TRAJECTORIES, trajectories=trajectories)
    check_whole(FEWEST_CHAINS, chains=chains)
    if choose("centre", centre, ("minimum", "mean", "start")) == "start" and initvals is None:
        raise ValueError('centre="start" is where chains start: give initvals.')
    model, rng = model_at_hand(model), one_seed(seed, None)
    check_free(model, "bridge_evidence")
    check_continuous(model.value_vars, "bridge_evidence")
    if flat := flat_names(model):
        raise ValueError(
            f"The prior of {', '.join(flat)} is flat, so that there is no evidence; give a proper "
            "prior."
        )
    if circular := circular_names(model):
        raise ValueError(
            f"{', '.join(circular)}: the density of an angle repeats without end along the line "
            "that it is sampled on, and has no integral there; use evidence."
        )
    places, crossings = np.linspace(0, 1, bridges + 2), []
    with at_temperature(model, 1.0):
        dynamics = BridgeDynamics(model, n_leapfrog)
        begins = _begins(dynamics, model, chains, initvals, centre, rng)
        try:
            for child, (start, minimum) in zip(rng.spawn(chains), begins, strict=True):
                chain = Chain(dynamics, start, trajectories, child)
                crossings.append(chain.cross(places, minimum))
        except KeyboardInterrupt:
            if len(crossings) < FEWEST_CHAINS:
                whole = f"{len(crossings)} whole chains of {chains} give no error"
                raise KeyboardInterrupt(f"bridge_evidence was interrupted: {whole}.") from None
    answer = _evidence(crossings, places, chains, list(restricted(model)))
    return with_potentials(answer, model)


def _begins(
    dynamics: BridgeDynamics,
    model: pm.Model,
    chains: int,
    initvals: Any,
    centre: str,
    rng: np.random.Generator,
) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Where each chain begins, and its centre; None for the mean of its draws."""
    if initvals is None:
        points = dispersed_starts(model, 1, rng)
    else:
        points = chain_starts(model, chains, rng, initvals, "bridge_evidence")
    found: list[tuple[np.ndarray, np.ndarray | None]] = []
    for point in points:
        whole = initial_point(model) | point  # some variables have no start of their own
        start = dynamics.layout.ravel({name: np.asarray(value) for name, value in whole.items()})
        start = np.clip(start, dynamics.lower, dynamics.upper)
        start = dynamics.minimum(start) if centre == "minimum" else start
        found.append((start, None if centre == "mean" else start))
    return found * chains if initvals is None else found


def _evidence(
    crossings: list[Crossing], places: np.ndarray, chains: int, known: list[str]
) -> Evidence:
    """Join what all chains found, with cautions that were known before."""
    found = np.array([_estimates(one, places) for one in crossings])
    seen = Crossed(crossings, places, *found.T)
    cautions = [*known, *(sentence for check in CHECKS for sentence in check(seen))]
    if len(crossings) < chains:
        cautions.insert(0, f"The run was interrupted: {len(crossings)} chains were made.")
    error = float(seen.estimates.std(ddof=1) / np.sqrt(len(crossings)))
    mean = float(seen.estimates.mean())
    return Evidence(mean, error, "bridge", ASSUMED, tuple(cautions))


def _estimates(crossing: Crossing, places: np.ndarray) -> tuple[float, float, float]:
    """Log evidence of one run with its error within the run, and by stepping stones."""
    known = crossing.differences.copy()
    inside = ~np.isnan(known[-1])
    if not inside.any():
        raise ValueError(
            "The model has no density where the fitted quadratic has its mass: give variables "
            "with bounds a transform."
        )
    # the integral of the quadratic is that over where the model has a density
    known[-1] = np.where(inside, known[-1], known[-1, inside].mean())
    base = crossing.quadratic.log_integral() + np.log(inside.mean()) - crossing.energy
    area, error = integral(known, places)
    error = float(np.hypot(error, np.sqrt((1 / inside.mean() - 1) / inside.size)))
    # along the bridge the log density falls by the difference, as along a ladder by a likelihood
    ratio = stepping_stone(-known.T[None], places)
    return base + area, error, base - ratio
