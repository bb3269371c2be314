"""Fast minimisation of a model's energy, to begin chains where it is low."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pymc as pm
from pymc.blocking import PointType
from threadpoolctl import threadpool_limits

from ...models.bnn import BNN
from ...models.data.choices import choose
from ...models.data.renewed_data import check_data
from ..compiled.engine import compiles, one_thread_at_a_time
from ..compiled.memory import initial_point
from ..given_starts import check_points
from ..options import check_whole, model_at_hand, one_seed
from ..potential.temperature import at_temperature
from ..starts import chain_starts, check_start
from ..steps.bases.block_choice import block_names, check_continuous
from .descent import Descent, Place

ENERGIES = ("posterior", "likelihood")
STEEP = 0.1  # nats in the last tenth of the steps

_log = logging.getLogger("pymc")


@dataclass(frozen=True)
class Minima:
    """What :func:`minimize` found, one for each chain.

    Attributes
    ----------
    points : tuple of dict
        The points of lowest energy: ``initvals`` for ``samplers.sample`` and ``pm.sample``.
    energies : tuple of ndarray, shape (steps + 1,)
        In nats: at the start, and the lowest after each step.
    evaluations : tuple of int
        Gradients that were computed, those that found the first step size among them.
    """

    points: tuple[PointType, ...]
    energies: tuple[np.ndarray, ...]
    evaluations: tuple[int, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """How many steps each chain took."""
        return tuple(energies.size - 1 for energies in self.energies)


@one_thread_at_a_time
def minimize(
    model: pm.Model | None = None,
    steps: int = 500,
    start: PointType | Sequence[PointType] | None = None,
    chains: int = 1,
    of: str = "posterior",
    vars: Sequence | None = None,
    seed: int | np.random.Generator | None = None,
) -> Minima:
    r"""Go down to low energy by the dynamics of a sampler, from which all that rises is taken out.

    Algorithm 3 of Baldock & Marzari (2019): from rest, each velocity Verlet step that lowers the
    energy

    .. math:: E(\theta) = -\log p(y \mid \theta) - \log p(\theta)
        \quad\text{or}\quad E(\theta) = -\log p(y \mid \theta)

    makes the next one longer, and each that does not is taken back, stops the motion, and makes
    the next one shorter by a factor of 0.95. The paper makes steps longer by 0.05, which is no
    small number in all units; here it is 0.05 of the first step size, which is searched for at
    the start (see :mod:`.descent`). An energy that is not finite counts as one that rises.

    Chains that begin at minima of their own need not first find where the posterior is. A
    minimum is no posterior: warm-up still has to lead from there to where the mass is.

    Densities of whole hierarchies often have no maximum worth finding. Where weights are zero,
    the density of a log scale whose prior lets it go to zero is unbounded (horseshoes, half-normal
    and half-Cauchy scales), and that of a gamma precision has a maximum at weights of zero or
    close to it, far from the posterior's mass. So conjugate precisions, which Gibbs draws find
    anyway, stay where they start, and PyMC's log names them; ``vars`` says otherwise. An energy
    that still falls after all steps is named in a warning.

    Parameters
    ----------
    model : pm.Model, optional
        The model; by default that of the context.
    steps : int
        Most steps of a chain. It takes fewer if they get so short that it stands still.
    start : dict or sequence of dict, optional
        Where to begin, for all chains or for each, as ``initvals`` of ``pm.sample``; by default
        at dispersed random points.
    chains : int
        How many points to find.
    of : {"posterior", "likelihood"}
        Whether the energy is minus the log posterior, in PyMC's unconstrained coordinates, or
        minus the log likelihood, as in the paper, which ends at the training error of zero where
        the model can reach that.
    vars : sequence of str or Variable, optional
        Variables to move. By default every continuous one but the conjugate precisions; the
        others stay at the start.
    seed : int or Generator, optional
        For the starts.

    Returns
    -------
    Minima
        Points, energies by step, and their number. Ctrl-C returns what there is by then, with
        the starts of chains that have not begun.

    Raises
    ------
    ValueError
        If an argument is not valid.
    SamplingError
        If the energy at a start is not finite.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.gaussian(X, X[:, 0] > 0, hidden=(4,), likelihood="bernoulli")
    >>> found = samplers.minimize(model, steps=200, chains=2, of="likelihood", seed=1)
    >>> [bool(energies[-1] < 0.01 < 1 < energies[0]) for energies in found.energies]
    [True, True]
    >>> idata = samplers.sample(model, draws=10, tune=10, chains=2, cores=1, seed=1,
    ...                         initvals=found.points, progressbar=False, quiet=True)
    """
    check_whole(1, steps=steps, chains=chains)
    of, model = choose("of", of, ENERGIES), model_at_hand(model)
    check_points("start", start, chains)
    if of == "likelihood" and not (model.observed_RVs or model.potentials):
        raise ValueError('of="likelihood": nothing in the model is observed; leave it out.')
    if isinstance(model, BNN):
        check_data(model)
        _say_what_has_no_slope(model)
    with at_temperature(model, 1.0), threadpool_limits(1, user_api="blas"):
        descent = _descent(model, vars, of)
        starts = chain_starts(model, chains, one_seed(seed, None), start, "minimize", "start")
        whole = [initial_point(model) | begin for begin in starts]
        places = [descent.at({k: np.asarray(v) for k, v in one.items()}) for one in whole]
        for place in places:
            check_start(place.energy, model, place.point, "minimize")
        return _all_down(descent, places, steps)


@compiles
def _descent(model: pm.Model, vars: Sequence | None, of: str) -> Descent:
    """Compile the descent of the variables that move, and name those that do not."""
    names = block_names(model, vars)
    check_continuous([v for v in model.value_vars if v.name in set(names)], "minimize")
    held = [str(model.values_to_rvs[v].name) for v in model.value_vars if v.name not in set(names)]
    if not names:
        raise ValueError("vars: there is nothing to move; name a continuous variable.")
    if held:
        _log.info(f"minimize holds {', '.join(held)} at the start; name them in vars to move them.")
    return Descent(model, names, of)


def _all_down(descent: Descent, places: Sequence[Place], steps: int) -> Minima:
    """Send all chains down in turn, until they are there or Ctrl-C."""
    points = [place.point for place in places]
    energies = [[np.array([place.energy + place.constant])] for place in places]
    evaluations = [1] * len(places)
    try:
        for chain, place in enumerate(places):
            dt, tried = descent.first_step_size(place)
            evaluations[chain] += tried
            for point, some in descent.run(place, dt, steps):
                points[chain] = point
                energies[chain].append(some)
                evaluations[chain] += some.size
        _say_what_falls([np.concatenate(parts) for parts in energies])
    except KeyboardInterrupt:
        _log.info("minimize was interrupted; points are those reached by then.")
    found = tuple(np.concatenate(parts) for parts in energies)
    return Minima(tuple(points), found, tuple(evaluations))


def _say_what_has_no_slope(model: BNN) -> None:
    """Warn of units whose weights the gradient does not know."""
    if model.hidden and not model.activation.continuous:
        _log.warning(
            f"Data give no slope to weights into {model.activation.name} units, so that minimize "
            "cannot fit them: leave starts to samplers.sample, or use tanh units."
        )


def _say_what_falls(energies: Sequence[np.ndarray]) -> None:
    """Warn of chains whose energy has not settled."""
    tenths = [max(1, path.size // 10) for path in energies]
    falls = [
        float(path[max(0, path.size - 1 - tenth)] - path[-1])
        for path, tenth in zip(energies, tenths, strict=True)
    ]
    falling = [str(chain) for chain, fall in enumerate(falls) if fall > STEEP]
    if falling:
        _log.warning(
            f"The energy of chain(s) {', '.join(falling)} still falls, by {max(falls):.2g} nats in "
            "the last tenth of the steps: give more steps or, if the density has no maximum, as "
            "with free scales of priors, leave these out of vars."
        )
