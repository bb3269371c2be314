"""Langevin dynamics with gradients of minibatches."""

import numpy as np
import pymc as pm
from pymc.util import RandomGenerator

from ..compiled import engine
from ..step_sizes.schedules import Schedule, as_schedule
from .bases.stochastic_gradient import StochasticGradientStep, check_count

allocate = estimate = engine.bound_later


def langevin(rng, q, step_sizes, dynamics, mean, precision, batch):  # type: ignore[no-untyped-def]
    """Follow Langevin dynamics; see :class:`SGLD`, and ``rule`` of its base."""
    workspace = allocate(batch.data)
    gradient = np.empty(q.size)
    updates = 0
    for epsilon in step_sizes:
        energy = estimate(rng, q, gradient, workspace, batch, mean, precision)
        if not np.isfinite(energy):
            break
        noise_sd = np.sqrt(epsilon)
        for i in range(q.size):
            q[i] += noise_sd * rng.standard_normal() - 0.5 * epsilon * gradient[i]
        updates += 1
    return updates


class SGLD(StochasticGradientStep):
    r"""Stochastic gradient Langevin dynamics; its draws are biased.

    Each update moves all weights :math:`q` of a network by the gradient of the log prior and of
    the likelihood of :math:`n` of the :math:`N` cases, drawn anew without replacement, and adds
    noise:

    .. math:: q \leftarrow q + \frac{\epsilon_t}{2} \Bigl(\nabla \log p(q) +
              \frac{N}{n} \sum_{i \in S} \nabla \log p(y_i \mid q)\Bigr) + N(0, \epsilon_t)

    (Welling & Teh 2011, Eq. 4; Lau 2018, 3.3). There is no accept test. On a normal posterior of
    precision :math:`h` the variance is :math:`1 / (h (1 - \epsilon h / 4))` with all cases in each
    gradient, and larger still by the noise of minibatches; :math:`\epsilon h \ge 4` diverges. The
    statistic ``biased`` says so for every draw, and :func:`.energy_bias` by how much.

    Hyperparameters are held fixed, or moved by other steps such as :class:`GibbsPrecision`; give
    those first, so that the log posterior is recorded.

    Parameters
    ----------
    step_size : float or PolynomialDecay
        :math:`\epsilon_t`, the variance of the noise: the square of a leapfrog step size.
    batch_size : int
        Cases of a minibatch, :math:`n`; with all cases gradients are exact.
    thin : int
        Updates per recorded draw.
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
    ...     steps = [samplers.GibbsPrecision(), samplers.SGLD(1e-4, batch_size=5)]
    ...     idata = pm.sample(draws=10, tune=10, chains=1, step=steps, progressbar=False,
    ...                       quiet=True, random_seed=1)
    >>> bool(idata["sample_stats"]["biased"].all())
    True
    """

    name = "sgld"
    rule = staticmethod(langevin)

    def __init__(
        self,
        step_size: float | Schedule,
        batch_size: int = 32,
        thin: int = 100,
        *,
        model: pm.Model | None = None,
        rng: RandomGenerator = None,
    ):
        schedule = as_schedule("step_size", step_size)
        batch_size = check_count("batch_size", batch_size)
        self.thin = check_count("thin", thin)
        super().__init__(schedule, self.thin, batch_size, pm.modelcontext(model), rng)
