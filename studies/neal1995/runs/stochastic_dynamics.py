"""The stochastic dynamics method: Hamiltonian Monte Carlo that rejects nothing.

(Neal 1995, 3.1.2 and 3.4.)
"""

from ....samplers import StaticHMC
from ....samplers.dynamics.metropolis import Decision, acceptance_probability, diverges
from ....samplers.dynamics.momentum import FRESH


def take(rng, energy_error, rule):  # type: ignore[no-untyped-def]
    """Go wherever a trajectory ends, unless its energy grows without end.

    The probability is that with which a test would accept the end.
    """
    return Decision(acceptance_probability(energy_error), not diverges(energy_error))


class StochasticDynamics(StaticHMC):
    r"""Trajectories of leapfrog steps from fresh momenta, without a test of where they end.

    The draws are biased by the errors of the steps (Neal 1995, 3.1.2). Leapfrog steps keep an
    energy near the right one; where a variable is normal, with standard deviation
    :math:`\sigma`, they keep one with

    .. math:: \mathrm{var}(q) = \sigma^2 \big/ \bigl(1 - \tfrac{\epsilon^2}{4 \sigma^2}\bigr),
              \qquad p \sim N(0, 1),

    exactly, and so do draws, whatever the number of steps. It is here to be compared, and no step
    for users.

    Parameters
    ----------
    **arguments
        As for :class:`pymc_bnn.samplers.StaticHMC`.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.neal1995.runs.stochastic_dynamics import StochasticDynamics
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> model = models.gaussian(X, X[:, 0] ** 2, hidden=(4,))
    >>> step = StochasticDynamics(n_leapfrog=5, step_scale=1.0, model=model)
    >>> step.setup_chain(1, tune=0, draws=9)
    >>> point = model.initial_point()
    >>> taken = []
    >>> for _ in range(9):
    ...     point, [statistics] = step.step(point)
    ...     taken.append(statistics["trajectory_accepted"])
    >>> all(taken)
    True
    """

    name = "stochastic_dynamics"

    def _carry(self, persistence: float) -> None:
        super()._carry(persistence)
        self.momentum_kind = FRESH._replace(decide=take)
