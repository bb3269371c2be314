r"""Algorithm 3 of Baldock & Marzari (2019): dynamics without friction that only ever go down.

A chain moves by velocity Verlet steps of unit masses. One that lowers the energy is kept, with its
momentum, and makes the next step longer; one that does not is taken back, with the momentum set to
zero, and makes the next step shorter by a factor of 0.95. The paper adds 0.05 to the step size, and
does not say what it begins with. Both depend on the units of energy and parameters: of an energy
four times as large the same path has steps half as long. So here the first step is found at the
start (:func:`first_step_size`), and what is added is a part of it, :data:`INCREMENT`.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pymc as pm
import pytensor.tensor as pt
from pymc.blocking import PointType

from ...models.simd.kernels import copy_into, quadratic
from ..compiled import engine
from ..potential.agreement import check_potential
from ..potential.conditional import Conditional
from ..potential.graphs.graph_rest import graph_rest
from ..potential.graphs.prior_numbers import logp_terms
from ..potential.parameters import Parameters
from ..potential.rest import Rest
from ..tempering.log_likelihood import LogLikelihood

INCREMENT = 0.05  # of the first step size, added by a step down
SHORTER = 0.95  # factor of the step size after a step up
SHORTEST = 1e-6  # a step this much shorter than the first one ends the descent
SMALL = 1e-4  # how far the first step that is tried goes
MOST_TRIED = 60
AT_A_TIME = 20  # steps between two looks at Ctrl-C

allocate = rest = engine.bound_later


class Descended(NamedTuple):
    """The energy after each step and at the end, and the size of the next step."""

    energies: np.ndarray
    energy: float
    step_size: float


def descend(q, momentum, gradient, energy, dt, increment, steps, mean, precision, data):
    """Take ``steps`` steps, and write into ``q``, ``momentum`` and ``gradient`` where they end.

    An infinite or undefined energy or gradient counts as a step up.

    A template for :func:`.engine.specialize`, which binds ``allocate`` and ``rest``.
    """
    workspace = allocate(data)
    energies = np.empty(steps)
    saved, slope = q.copy(), gradient.copy()
    for step in range(steps):
        copy_into(saved, q)
        copy_into(slope, gradient)
        for i in range(q.size):
            momentum[i] -= 0.5 * dt * gradient[i]
            q[i] += dt * momentum[i]
        found = rest(q, gradient, workspace) + quadratic(q, mean, precision)
        total = 0.0
        for i in range(q.size):
            gradient[i] += precision[i] * (q[i] - mean[i])
            total += abs(gradient[i])
        if found < energy and np.isfinite(found) and np.isfinite(total):
            for i in range(q.size):
                momentum[i] -= 0.5 * dt * gradient[i]
            energy = found
            dt += increment
        else:
            for i in range(q.size):
                momentum[i] = 0.0
            copy_into(q, saved)
            copy_into(gradient, slope)
            dt *= SHORTER
        energies[step] = energy
    return Descended(energies, energy, dt)


def first_step_size(
    energy_after: Callable[[float], float], q: np.ndarray, gradient: np.ndarray
) -> float:
    """Find the step size whose first step, without momentum, lowers the energy about the most.

    It begins with a step that hardly moves and doubles while the energy after it is lower than
    before; or halves it until the energy falls. In one dimension, with curvature :math:`c`, the
    result is between 0.6 and 1.3 times :math:`c^{-1/2}`; steps up to 2 of these are stable.

    Parameters
    ----------
    energy_after : callable
        From a step size to the energy after a step, infinite where it does not fall.
    q, gradient : ndarray, shape (size,)
        The start, and the gradient there.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.samplers.cooling.descent import first_step_size
    >>> def energy_after(dt, q=3.0, curvature=100.0):
    ...     return 0.5 * curvature * (q - 0.5 * dt**2 * curvature * q) ** 2
    >>> 0.06 < first_step_size(energy_after, np.array([3.0]), np.array([300.0])) < 0.13
    True
    """
    steepness = float(np.sqrt(np.mean(gradient**2)))
    if steepness == 0:
        return 1.0
    dt = float(np.sqrt(2 * SMALL * (1 + np.sqrt(np.mean(q**2))) / steepness))
    found = energy_after(dt)
    for _ in range(MOST_TRIED):
        longer = bool(np.isfinite(found))
        after = energy_after(2 * dt if longer else dt / 2)
        if longer and not after < found:
            break
        dt, found = 2 * dt if longer else dt / 2, after
        if not longer and np.isfinite(after):
            break
    return dt


class Place(NamedTuple):
    """Where a descent begins.

    Attributes
    ----------
    point : dict
        All value variables.
    q, gradient : ndarray, shape (size,)
        The moved ones, and the gradient of the energy.
    energy : float
        The energy there, but for ``constant``.
    constant : float
        What makes it minus a log density.
    given : tuple
        What the compiled descent needs to know of the held variables.
    """

    point: PointType
    q: np.ndarray
    gradient: np.ndarray
    energy: float
    constant: float
    given: tuple


class Descent:
    """Compiled steps downhill.

    Parameters
    ----------
    model : pm.Model
        The model.
    names : sequence of str
        Value variables that move.
    of : {"posterior", "likelihood"}
        Of which minus the logarithm is the energy.
    """

    def __init__(self, model: pm.Model, names: Sequence[str], of: str):
        self.conditional, self.of = Conditional(model, names), of
        own = of == "likelihood" and not self.conditional.fused
        self._rest = self._likelihood() if own else self.conditional.compile_rest(gradient=True)
        self._run = engine.specialize(
            descend, allocate=self._rest.allocate, rest=self._rest.evaluate
        )
        if not own:
            check_potential(self.conditional, self._potential, "minimize")

    def _likelihood(self) -> Rest:
        """Compile minus the log likelihood of a model that has no kernel of its own."""
        model, layout = self.conditional.model, self.conditional.layout
        terms = logp_terms(model)
        q = pt.vector("q", shape=(layout.size,), dtype="float64")
        observed = [terms[v] for v in (*model.observed_RVs, *model.potentials)]
        return graph_rest(self.conditional.energy(q, observed), q, self.conditional.held, True)

    def _potential(self, point: PointType) -> tuple[float, np.ndarray]:
        """Energy and gradient of the block's whole potential, for the check."""
        parameters = self.conditional.parameters(point)
        given = parameters.mean, parameters.precision
        return self._evaluate(point, (*given, self._data(point, parameters)))

    def _data(self, point: PointType, parameters: Parameters) -> tuple:
        return self.conditional.data(self._rest, point, parameters)

    def _evaluate(self, point: PointType, given: tuple) -> tuple[float, np.ndarray]:
        """Take a step of no length from an energy that any other is below."""
        q = self.conditional.layout.ravel(point)
        gradient = np.zeros(q.size)
        found: Descended = self._run(q, np.zeros(q.size), gradient, np.inf, 0.0, 0.0, 1, *given)
        return float(found.energy), gradient

    def at(self, point: PointType) -> Place:
        """Evaluate a point that a descent is to begin at; an infinite energy stays one."""
        conditional = self.conditional
        parameters = conditional.parameters(point)
        mean, precision = parameters.mean, parameters.precision
        if self.of == "likelihood":
            mean, precision = np.zeros(mean.size), np.zeros(mean.size)
        given = mean, precision, self._data(point, parameters)
        energy, gradient = self._evaluate(point, given)
        constant = -float(parameters.log_constant)
        if self.of == "likelihood":
            # of noise, and of potentials that the weights are not in
            whole = -LogLikelihood(conditional.model)(point) if conditional.fused else energy
            constant = whole - energy
        return Place(point, conditional.layout.ravel(point), gradient, energy, constant, given)

    def first_step_size(self, place: Place) -> tuple[float, int]:
        """Find the step size to begin with, and say how many gradients that took."""
        tried = 0

        def energy_after(dt: float) -> float:
            nonlocal tried
            tried += 1
            q, momentum, gradient = place.q.copy(), np.zeros(place.q.size), place.gradient.copy()
            given = place.energy, dt, 0.0, 1, *place.given
            energy = self._run(q, momentum, gradient, *given).energy
            return float(energy) if energy < place.energy else np.inf

        return first_step_size(energy_after, place.q, place.gradient), tried

    def run(self, place: Place, dt: float, steps: int) -> Iterator[tuple[PointType, np.ndarray]]:
        """Go down, and give the point reached and the energies of some steps at a time."""
        q, gradient, energy = place.q.copy(), place.gradient.copy(), place.energy
        momentum, done, first = np.zeros(q.size), 0, dt
        while done < steps and dt > SHORTEST * first:
            count = min(AT_A_TIME, steps - done)
            state = q, momentum, gradient, energy, dt, INCREMENT * first
            energies, energy, dt = self._run(*state, count, *place.given)
            done += count
            point = self.conditional.layout.unravel(q.copy(), place.point)
            yield point, energies + place.constant
