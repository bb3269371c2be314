"""Hamiltonian Monte Carlo of the distributions between a posterior and a quadratic."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pymc as pm
import pytensor
from pytensor.tensor.random.basic import UniformRV
from pytensor.tensor.variable import TensorVariable
from scipy import optimize

from ....models.priors.reflection import Reflected
from ...compiled.engine import compiles
from ...compiled.memory import remembered
from ...dynamics.leapfrog import Trajectory, compile_leapfrog
from ...dynamics.metropolis import decide, diverges
from ...potential.cases.cases_in_blocks import look_anew
from ...potential.conditional import Conditional
from ...potential.graphs.prior_numbers import logp_terms
from .quadratic import Quadratic

FLAT = 1.0  # slope of the energy by a coordinate, where a search for a minimum has ended
STILL = 2.0**-200  # a step so small that positions stay, and momenta are gradients


class Shared(Conditional):
    """The energy of a whole model, times a share that can change without compiling anew.

    Parameters
    ----------
    model : pm.Model
        The model, all of whose free variables are continuous.
    """

    def __init__(self, model: pm.Model):
        self.share = pytensor.shared(np.array(1.0), name="share")
        super().__init__(model, [v.name for v in model.value_vars])

    def _split_terms(self) -> None:
        """Leave everything among the rest, constants too, as the share is of all."""
        self.normal, self.outer = {}, []
        self.rest = dict(logp_terms(self.model))

    def _is_network(self) -> bool:
        return False

    def energy(
        self, q: TensorVariable, terms: Sequence[TensorVariable] | None = None
    ) -> TensorVariable:
        """Symbolic energy, with all variables taken from the vector ``q``."""
        return self.share * super().energy(q, terms)


class Moved(NamedTuple):
    """Outcome of one trajectory."""

    position: np.ndarray
    acceptance: float
    diverging: bool


class BridgeDynamics:
    r"""Trajectories of :math:`(1 - \lambda) J + \lambda Q` in a model's unconstrained coordinates.

    Parameters
    ----------
    model : pm.Model
        The model.
    n_leapfrog : int
        Steps of each trajectory.

    Attributes
    ----------
    lower, upper : ndarray, shape (size,)
        Walls of uniform priors that have no transform; infinite for all else.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn.samplers.marginal_likelihood.bridges.dynamics import BridgeDynamics
    >>> with pm.Model() as model:
    ...     x = pm.Normal("x", 3.0, 0.5)
    >>> BridgeDynamics(model, 10).minimum(np.zeros(1)).round(4)
    array([3.])
    """

    def __init__(self, model: pm.Model, n_leapfrog: int):
        self.n_leapfrog = n_leapfrog
        look_anew(model)
        self.potential, self._rest, self._run = remembered(
            model, "bridge", lambda: _compiled(model)
        )
        self.layout = self.potential.layout
        self.lower, self.upper = _walls(self.potential)
        self._no_prior = np.zeros(self.layout.size), np.zeros(self.layout.size)

    def energy(self, q: np.ndarray) -> tuple[float, np.ndarray]:
        """Energy :math:`J` at a position, and its gradient."""
        still, momentum = np.full(q.size, STILL), np.zeros(q.size)
        end: Trajectory = self._run(q, momentum, still, 1, *self._no_prior, self._at(1.0))
        return float(end.initial_potential), -end.momentum / STILL

    def minimum(self, start: np.ndarray) -> np.ndarray:
        """Find a minimum of the energy within the walls."""
        bounds = optimize.Bounds(self.lower, self.upper)
        start = np.clip(start, self.lower, self.upper)
        found = optimize.minimize(self.energy, start, jac=True, method="L-BFGS-B", bounds=bounds)
        inner = (self.lower < found.x) & (found.x < self.upper)
        if not (np.isfinite(found.fun) and np.all(np.abs(found.jac[inner]) < FLAT)):
            raise ValueError(
                "The energy of the model has no minimum that a search could find: use "
                'centre="mean".'
            )
        return found.x

    def move(
        self,
        q: np.ndarray,
        share: float,
        quadratic: Quadratic | None,
        step_sizes: np.ndarray,
        rng: np.random.Generator,
    ) -> Moved:
        r"""Follow one trajectory from a position, and accept or reject its end.

        Parameters
        ----------
        q : ndarray, shape (size,)
            The position.
        share : float
            Share :math:`1 - \lambda` of the model's energy; the quadratic has the rest.
        quadratic : Quadratic or None
            The quadratic; None at a share of 1.
        step_sizes : ndarray, shape (size,)
            Of the components.
        rng : Generator
            Where the random numbers come from.
        """
        given = self._no_prior
        if quadratic is not None:
            given = quadratic.centre, (1 - share) * quadratic.precision
        momentum, data = rng.standard_normal(q.size), self._at(share)
        end: Trajectory = self._run(q, momentum, step_sizes, self.n_leapfrog, *given, data)
        with np.errstate(all="ignore"):  # a diverging trajectory may overflow
            kinetic = 0.5 * (end.momentum @ end.momentum - momentum @ momentum)
            error = float(end.final_potential - end.initial_potential + kinetic)
        acceptance, accepted = decide(rng, error, None)
        # behind walls the energy is infinite, which is no failure of the integrator
        within = bool(np.all((self.lower <= end.position) & (end.position <= self.upper)))
        return Moved(end.position if accepted else q, acceptance, within and bool(diverges(error)))

    def _at(self, share: float) -> Any:
        """What compiled code needs besides the position."""
        self.potential.share.set_value(np.array(share))
        return self._rest.pack(())


@compiles
def _compiled(model: pm.Model) -> tuple:
    """Compile trajectories."""
    potential = Shared(model)
    rest = potential.compile_rest(gradient=True)
    return potential, rest, compile_leapfrog(potential, rest)


def _walls(potential: Shared) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of uniform priors without transform, where they are known numbers."""
    model, layout = potential.model, potential.layout
    lower, upper = np.full(layout.size, -np.inf), np.full(layout.size, np.inf)
    for variable in model.free_RVs:
        transform = model.rvs_to_transforms[variable]
        if isinstance(transform, Reflected):
            raise ValueError(
                f"{variable.name} is reflected at walls, behind which its posterior goes on in "
                'copies: for the bridge use walls that reject, models.Box(walls="reject").'
            )
        if not isinstance(variable.owner.op, UniformRV) or transform is not None:
            continue
        ends = model.replace_rvs_by_values(variable.owner.op.dist_params(variable.owner))
        if not potential.depends_on_block(*ends):
            name = model.rvs_to_values[variable].name
            for wall, end in zip((lower, upper), ends, strict=True):
                shape = layout.shapes[name]
                wall[layout.slices[name]] = np.broadcast_to(end.eval(), shape).ravel()
    return lower, upper
