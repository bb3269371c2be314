"""Hamiltonian dynamics with friction and gradients of minibatches."""

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ...models.data.choices import check_positive, is_between
from ..compiled import engine
from ..step_sizes.schedules import Schedule, as_schedule
from .bases.stochastic_gradient import StochasticGradientStep, check_count

allocate = estimate = engine.bound_later
TINY = float(np.finfo(float).tiny)


def trajectories(  # type: ignore[no-untyped-def]
    rng, q, learning_rates, dynamics, mean, precision, batch
):
    r"""Follow trajectories with friction; see :class:`SGHMC`, and ``rule`` of its base.

    ``dynamics`` holds :math:`L`, :math:`\alpha`, :math:`\hat\beta`, :math:`T`, and the standard
    deviation of the first velocity, 0 for :math:`\sqrt{\eta T}`.
    """
    n_leapfrog, friction, noise_estimate, temperature, given_sd = dynamics
    workspace = allocate(batch.data)
    gradient, velocity = np.empty(q.size), np.empty(q.size)
    updates = 0
    for eta in learning_rates:
        if updates % n_leapfrog == 0:
            start_sd = given_sd if given_sd > 0.0 else np.sqrt(eta * temperature)
            for i in range(q.size):
                velocity[i] = start_sd * rng.standard_normal()
        for i in range(q.size):
            q[i] += velocity[i]
        energy = estimate(rng, q, gradient, workspace, batch, mean, precision)
        if not np.isfinite(energy):
            break
        noise_sd = np.sqrt(2.0 * (friction - noise_estimate) * eta * temperature)
        for i in range(q.size):
            noise = noise_sd * rng.standard_normal()
            velocity[i] += noise - friction * velocity[i] - eta * gradient[i]
        updates += 1
    return updates


class SGHMC(StochasticGradientStep):
    r"""Stochastic gradient Hamiltonian Monte Carlo; its draws are biased.

    A trajectory starts with a fresh velocity :math:`v \sim N(0, \eta T)` and follows, with the
    potential energy :math:`\tilde E` estimated from :math:`n` of the :math:`N` cases, drawn anew
    without replacement for each update,

    .. math::
        q &\leftarrow q + v \\
        v &\leftarrow (1 - \alpha) v - \eta \nabla \tilde E(q) + N(0, 2(\alpha - \hat\beta) \eta T)

    (Chen, Fox & Guestrin 2014, Eq. 15; Lau 2018, 3.3). There is no accept test: the statistic
    ``biased`` says so for every draw, and :func:`.energy_bias` by how much. Hyperparameters are
    held fixed, or moved by other steps such as :class:`GibbsPrecision`; give those first, so that
    the log posterior is recorded.

    The first update of a trajectory moves the weights by the fresh velocity alone. Without friction
    and for small :math:`\eta` the draws are therefore those of the temperature
    :math:`L / (L - 1)`, however small :math:`\eta` is: trajectories should be long.

    Lau's Algorithm 16 prints :math:`v \leftarrow -\eta \nabla \tilde E - \alpha v + z` with
    :math:`z \sim N(0, 2(\alpha - \hat\beta \eta))`. The old velocity must be kept as above, or
    nothing would be left of it after one update. The variance without :math:`\eta` is that of a
    posterior at temperature :math:`1 / \eta`: ``temperature=1 / learning_rate`` reproduces it. Its
    step size :math:`\epsilon` scales the first velocity only, ``velocity_sd`` here.

    Parameters
    ----------
    learning_rate : float or PolynomialDecay
        :math:`\eta`, the square of a leapfrog step size.
    batch_size : int
        Cases of a minibatch, :math:`n`; with all cases gradients are exact.
    n_leapfrog : int
        Updates per trajectory, :math:`L`; two at least, as the first is by the velocity alone.
    friction : float
        :math:`\alpha`, share of the velocity that is lost in each update.
    noise_estimate : float
        :math:`\hat\beta`, friction that makes up for the noise of the gradients, for which no
        noise is added.
    temperature : float
        :math:`T`; the draws are of the posterior density to the power of :math:`1 / T`.
    velocity_sd : float, optional
        Standard deviation of the first velocity, by default :math:`\sqrt{\eta T}`. Another one
        heats or cools the draws; one that stays while :math:`\eta` decays heats them ever more.
    thin : int
        Trajectories per recorded draw.
    model : BNN, optional
        The model; by default that of the context.
    rng : Generator or seed, optional
        Where random numbers come from outside ``pm.sample``, which brings its own.

    Raises
    ------
    ValueError
        If an argument is not valid, or the model is not a centred network.

    Examples
    --------
    >>> import numpy as np
    >>> import pymc as pm
    >>> from pymc_bnn import models, samplers
    >>> X = np.linspace(-1, 1, 10)[:, None]
    >>> with models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,)):
    ...     steps = [samplers.GibbsPrecision(), samplers.SGHMC(1e-4, batch_size=5)]
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=steps, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> int(idata["sample_stats"]["n_steps"][0, 0])
    50
    """

    name = "sghmc"
    rule = staticmethod(trajectories)

    def __init__(
        self,
        learning_rate: float | Schedule,
        batch_size: int = 32,
        n_leapfrog: int = 50,
        friction: float = 0.01,
        noise_estimate: float = 0.0,
        temperature: float = 1.0,
        velocity_sd: float | None = None,
        thin: int = 1,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        schedule = as_schedule("learning_rate", learning_rate)
        batch_size = check_count("batch_size", batch_size)
        self.n_leapfrog = check_count("n_leapfrog", n_leapfrog, 2)
        self.thin = check_count("thin", thin)
        if not is_between(friction, 0, 1) or friction == 0:
            raise ValueError(f"friction={friction!r}: give a number above 0 and up to 1.")
        if not is_between(noise_estimate, 0, friction):
            raise ValueError(
                f"noise_estimate={noise_estimate!r}: give a number from 0 to friction={friction!r}."
            )
        check_positive(temperature=temperature)
        if velocity_sd is not None:
            check_positive(velocity_sd=velocity_sd)
        numbers = (friction, noise_estimate, temperature, velocity_sd or 0.0)
        self.dynamics = (self.n_leapfrog, *map(float, numbers))
        updates = self.thin * self.n_leapfrog
        super().__init__(schedule, updates, batch_size, pm.modelcontext(model), rng)

    def _heat(self, step_sizes: np.ndarray) -> float:
        """That of the noise, or of the first velocities where they are given."""
        *_, temperature, velocity_sd = self.dynamics
        return max(1.0, temperature, velocity_sd**2 / max(float(np.min(step_sizes)), TINY))
