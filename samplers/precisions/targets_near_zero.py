r"""Whether double precision has the digits for what is left of targets once a layer explains them.

With the last layer integrated out, targets enter by :math:`y^\top K^{-1} y`, which is a difference
of two numbers as large as the squares of the targets; see :mod:`.output_regression`. What features
lose is not looked at: with priors of a hundred units on the weights of units without bounds, and
noise of a hundredth, energies of a hundred cases were off by up to 0.7.
"""

import numpy as np

from ...models.bnn import BNN

FARTHEST = 1e3  # targets over their noise; beyond, squares need digits that products round off
ROUNDED = 1e-2  # largest energy, in nats, that may be lost where noise is as narrow as it can be


def are_near_zero(model: BNN) -> bool:
    r"""Whether targets are at most :data:`FARTHEST` times as far from zero as their noise is wide.

    The noise is taken to be as wide as its prior says, or as the targets if these spread less, but
    no narrower than the prior leaves it where a network fits all :math:`n` cases exactly,
    :math:`s = \mathrm{sd} \sqrt{\alpha / (\alpha + n)}`. With noise as narrow as that, rounding
    may cost an energy of no more than :data:`ROUNDED`: :math:`\epsilon\, n\, \overline{y^2} / s^2`.

    Parameters
    ----------
    model : BNN
        A network with normal noise.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.samplers.precisions.targets_near_zero import are_near_zero
    >>> X, y, noise = np.eye(8), np.arange(8.0), models.GaussianNoise(sd=1e-4)
    >>> near = models.gaussian(X, y, hidden=(4,))
    >>> far = models.gaussian(X, 9.0 + 1e-4 * y, hidden=(4,), likelihood=noise)
    >>> are_near_zero(near), are_near_zero(far)
    (True, False)
    >>> vague = models.GaussianNoise(sd=1.0, alpha=1e-16)  # follows noise of 1e-8 down
    >>> are_near_zero(models.gaussian(X, y, hidden=(4,), likelihood=vague))
    False
    """
    y = np.asarray(model["y"].get_value(borrow=True), np.float64)
    size, noise = np.sqrt((y**2).mean(axis=0)), y.std(axis=0)
    sd, alpha = (getattr(model.likelihood, name, None) for name in ("sd", "alpha"))
    if sd is None or alpha is None:  # a likelihood of a user's may say it otherwise
        return bool((size <= FARTHEST * noise).all())
    narrowest = sd * np.sqrt(alpha / (alpha + len(y)))
    noise = np.minimum(sd, np.maximum(noise, narrowest))
    rounded = np.finfo(np.float64).eps * len(y) * (size / narrowest) ** 2
    return bool((size <= FARTHEST * noise).all() and (rounded <= ROUNDED).all())
