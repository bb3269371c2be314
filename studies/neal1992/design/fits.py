"""What the recommended sampler fits, and for how long."""

from dataclasses import dataclass

from .budgets import Budget
from .networks import LARGE, SMALL
from .schedules import COOLING, iterations

TENTH = 0.1  # of the gradients of experiment 2
LEAPFROGS = 300  # of a trajectory of the recommended sampler
LONGEST = 2**10 - 1  # gradients of one where it is NUTS, at most
WARM_UP = 0.4  # of a short chain
SHORT, SHORT_LOGISTIC = "short", "logistic-short"  # whose chains are judged alone
EQUAL_LOGISTIC = "logistic-equal"  # with the gradients of experiment 2


@dataclass(frozen=True)
class Fit:
    """A network that is sampled with default settings.

    Parameters
    ----------
    name : str
        Of the fit.
    network : str
        Of :data:`.networks.NETWORKS`.
    size : tuple of int
        Hidden units and training cases.
    draws, tune, starts : int
        Draws, warm-up and chains.
    sets : int
        Data sets.
    seconds : float
        About how long one data set takes.
    """

    name: str
    network: str
    size: tuple[int, int]
    draws: int
    tune: int
    starts: int
    sets: int
    seconds: float

    def key(self, number: int) -> str:
        """Name the result of a data set."""
        return f"fit-{self.name}-{number}"


def short(budget: Budget, leapfrogs: int = LEAPFROGS, share: float = TENTH) -> tuple[int, int]:
    """Draws and warm-up of a chain with at most a share of the gradients of experiment 2.

    Parameters
    ----------
    budget : Budget
        The budget.
    leapfrogs : int
        Gradients of a trajectory, at most.
    share : float
        Of the gradients; by default a tenth.

    Returns
    -------
    tuple of int
        Draws, and trajectories of the warm-up.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.design.fits import LONGEST, short
    >>> short(BUDGETS["desk"])
    (170, 112)
    >>> short(BUDGETS["desk"], LONGEST)
    (50, 32)
    >>> short(BUDGETS["desk"], LONGEST, share=1.0)
    (498, 331)
    """
    gradients = share * iterations(COOLING) * 1000
    trajectories = min(int(gradients / leapfrogs) - 1, 2 * budget.draws)
    tune = int(WARM_UP * trajectories)
    return trajectories - tune, tune


def fits(budget: Budget) -> tuple[Fit, ...]:
    """All fits of a budget, the longest first."""
    draws, tune = short(budget)
    long, few = (budget.draws, budget.draws), short(budget, LONGEST)
    equal = short(budget, LONGEST, share=1.0)
    some = min(budget.few, budget.sets)
    chain = 2e-3 * budget.draws  # seconds of a small network
    return (
        Fit("large", "ours", LARGE, *long, 1, budget.sets, 3.2 * chain),
        Fit("gaussian", "gaussian", LARGE, *long, 1, some, 2.5 * chain),
        Fit(SHORT, "ours", LARGE, draws, tune, budget.starts, budget.sets, 0.46 * chain * 5),
        Fit("small", "ours", SMALL, *long, budget.small, budget.sets, chain * budget.small),
        Fit(
            "logistic",
            "logistic",
            SMALL,
            *long,
            budget.small,
            budget.few,
            6.0 * chain * budget.small,
        ),
        Fit(EQUAL_LOGISTIC, "logistic", LARGE, *equal, 1, some, 6.0 * chain),
        Fit(SHORT_LOGISTIC, "logistic", LARGE, *few, budget.starts, some, 4.0 * chain),
    )
