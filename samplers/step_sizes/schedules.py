"""How the step sizes of stochastic gradients change from update to update."""

from dataclasses import dataclass
from numbers import Real

import numpy as np

from ...models.data.choices import check_positive, is_between


@dataclass(frozen=True)
class ConstantStepSize:
    """The same step size for every update.

    Parameters
    ----------
    value : float
        The step size.

    Examples
    --------
    >>> from pymc_bnn.samplers.step_sizes.schedules import ConstantStepSize
    >>> ConstantStepSize(0.1)(first=0, updates=2)
    array([0.1, 0.1])
    """

    value: float

    def __call__(self, first: int, updates: int) -> np.ndarray:
        """Step sizes of some updates, counted from the start of the chain."""
        return np.full(updates, self.value)


@dataclass(frozen=True)
class PolynomialDecay:
    r"""Step sizes that decay as a power of the number of updates.

    .. math:: \epsilon_t = \max\{a (b + t)^{-\gamma}, \epsilon_\infty\}, \qquad t = 0, 1, \dots

    (Welling & Teh 2011, section 2; Lau 2018, 3.3). With :math:`\gamma \in (0.5, 1]` and no lower
    bound the sum of the step sizes is infinite and that of their squares is not, as convergence
    needs. Warm-up counts. Averages over draws have to weigh each with its ``step_size``.

    Parameters
    ----------
    scale : float
        :math:`a`.
    shift : float
        :math:`b`, in updates: the decay begins after about as many.
    exponent : float
        :math:`\gamma`.
    lower_bound : float
        :math:`\epsilon_\infty`.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> from pymc_bnn import samplers
    >>> samplers.PolynomialDecay(scale=0.1, shift=1.0, exponent=1.0)(first=0, updates=4)
    array([0.1       , 0.05      , 0.03333333, 0.025     ])
    """

    scale: float
    shift: float = 1.0
    exponent: float = 0.55
    lower_bound: float = 0.0

    def __post_init__(self) -> None:
        for name in ("scale", "shift"):
            check_positive(**{name: getattr(self, name)})
        if not isinstance(self.exponent, Real) or not 0.5 < self.exponent <= 1:
            raise ValueError(
                f"exponent={self.exponent!r}: give a number above 0.5 and up to 1, so that step "
                "sizes decay slowly enough to get everywhere."
            )
        if not is_between(self.lower_bound, 0, np.inf):
            raise ValueError(f"lower_bound={self.lower_bound!r}: give 0 or a positive number.")

    def __call__(self, first: int, updates: int) -> np.ndarray:
        """Step sizes of some updates, counted from the start of the chain."""
        t = np.arange(first, first + updates)
        return np.maximum(self.scale * (self.shift + t) ** -self.exponent, self.lower_bound)


Schedule = ConstantStepSize | PolynomialDecay


def as_schedule(name: str, given: float | Schedule) -> Schedule:
    """Turn a step size into a schedule.

    Parameters
    ----------
    name : str
        Which argument it was, for the message.
    given : float or schedule
        What the user gave.

    Returns
    -------
    Schedule

    Raises
    ------
    ValueError
        If it is neither a positive number nor a schedule.

    Examples
    --------
    >>> from pymc_bnn.samplers.step_sizes.schedules import as_schedule
    >>> as_schedule("step_size", 0.01)
    ConstantStepSize(value=0.01)
    """
    if isinstance(given, Schedule):
        return given
    if not isinstance(given, Real):
        raise ValueError(f"{name}={given!r}: give a positive number or a PolynomialDecay.")
    check_positive(**{name: given})
    return ConstantStepSize(float(given))
