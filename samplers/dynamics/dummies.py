r"""Acceptance paid from the kinetic energy of dummy components of the momentum (Neal 1992).

The potential energy does not depend on the positions of dummy components, so that a trajectory
leaves their momenta as they are. What the others gained in energy is taken from them. The volume of
their phase space at kinetic energy :math:`K_d` is proportional to :math:`K_d^{N_d / 2 - 1}`, and
changes by

.. math:: \rho = (1 - \Delta H / K_d)^{N_d / 2 - 1}

(Eq. 25); a trajectory is accepted with probability :math:`\min(1, \rho)`, never if they cannot
pay. At temperature :math:`T` this is about :math:`e^{-\Delta H / T}` (Eq. 26). Where the dummy
components have just been drawn at temperature 1, :math:`K_d` has a gamma distribution of shape
:math:`a = N_d / 2`, and the acceptance is that of Metropolis on average: for
:math:`\Delta H > 0`

.. math:: \int_{\Delta H}^\infty \Bigl(1 - \frac{\Delta H}{K}\Bigr)^{a - 1}
    \frac{K^{a - 1} e^{-K}}{\Gamma(a)}\, dK
    = \int_{\Delta H}^\infty \frac{(K - \Delta H)^{a - 1} e^{-K}}{\Gamma(a)}\, dK = e^{-\Delta H}.
"""

# mypy: allow-untyped-defs, allow-incomplete-defs

import numpy as np

from ...models.simd.kernels import jit
from .metropolis import Decision


@jit
def probability_of_paying(energy_error, kinetic, dummies):
    r"""Return :math:`\min(1, \rho)`, 0 where the dummy components cannot pay.

    Nothing infinite or undefined is accepted.
    """
    if not abs(energy_error) < np.inf or energy_error >= kinetic:
        return 0.0
    return np.exp(min(0.0, (0.5 * dummies - 1.0) * np.log1p(-energy_error / kinetic)))


def pay(rng, energy_error, rule):
    """Accept or reject the end of a trajectory, and take its gain in energy from the dummies."""
    probability = probability_of_paying(energy_error, rule.reserve[0], rule.dummies)
    accepted = rng.random() < probability
    if accepted:
        rule.reserve[0] -= energy_error
    return Decision(probability, accepted)
