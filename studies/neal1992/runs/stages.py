"""Units of work."""

from collections.abc import Iterator

from ...reproduction.units import Unit
from ..design.budgets import Budget
from ..design.fits import fits
from ..design.priors import HEAVY, LOGISTIC, PRIORS
from ..design.schedules import (
    ANNEALED,
    METROPOLIS_STEPS,
    STEP_SIZES,
    Cell,
    grid,
    iterations,
)
from .approximations import joint_modes
from .approximations.approximating import approximate
from .approximations.laplacing import approximate_by_evidence
from .bridging import bridge_priors
from .cells import sample_cell, sample_metropolis
from .cooling import sample_cooled
from .integrating import STAY, integrate_along_runs
from .integrators import TARGETS, compare_integrators
from .prior_evidence import measure_prior
from .recommended import sample_fit

SECONDS_TO_START = 8.0  # of a stage; what it compiles is kept for its other units
SECONDS_OF_A_RUN = 0.5  # of experiment 1
SECONDS_OF_METROPOLIS = 0.9
SECONDS_OF_COOLING = 7.0
SECONDS_OF_A_SETTING = 26.0  # integrators and masses on eight data sets
SECONDS_OF_MODES = 0.9  # one start, for both networks
SECONDS_OF_A_START = 30.0  # of Laplace's approximation at joint modes, for both networks
SECONDS_OF_A_PRIOR = 18.0  # its evidence on one data set
SECONDS_OF_HEAVY_TAILS = 45.0  # whose precisions are drawn one by one
SECONDS_OF_BRIDGES = 32.0  # from our prior to three others, on one data set
SECONDS_OF_A_FIT = 35.0  # both approximations, for one network


def cells(budget: Budget, step_sizes: tuple[float, ...]) -> list[Cell]:
    """Cells of a grid that a budget runs."""
    return list(grid(step_sizes))[: budget.cells]


def cell_key(cell: Cell) -> str:
    """Name the result of a cell of experiment 1."""
    return f"cell-{cell.key()}"


def metropolis_key(cell: Cell) -> str:
    """Name the result of a cell of the Metropolis algorithm."""
    return f"metropolis-{cell.key()}"


def cooled_key(number: int) -> str:
    """Name the result of a run of experiment 2."""
    return f"cooled-{number}"


def integrators_key(target: float) -> str:
    """Name the result of both integrators at a target acceptance."""
    return f"integrators-{target:g}"


def approximated_key(number: int) -> str:
    """Name the result of approximations on a data set."""
    return f"approximated-{number}"


def modes_key(number: int) -> str:
    """Name the result of Gaussian approximations on a data set."""
    return f"modes-{number}"


def joint_key(number: int) -> str:
    """Name the result of Laplace's approximation at joint modes on a data set."""
    return f"joint-modes-{number}"


def prior_key(name: str, number: int) -> str:
    """Name the result of a prior on a data set.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.runs.stages import prior_key
    >>> prior_key("normal, scale learnt", 3)
    'prior-normal-scale-learnt-3'
    """
    return f"prior-{name.replace(',', '').replace(' ', '-')}-{number}"


def bridged_key(number: int) -> str:
    """Name the result of bridges between priors on a data set."""
    return f"bridged-{number}"


def stages_of(budget: Budget, seed: int, every: bool = False) -> dict[str, list[Unit]]:
    """Declare all units of work, stage by stage.

    Parameters
    ----------
    budget : Budget
        The budget.
    seed : int
        Of all.
    every : bool
        Whether those count that need a package which is missing here.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.runs.stages import stages_of
    >>> [len(units) for units in stages_of(BUDGETS["desk"], 0, every=True).values()]
    [42, 6, 32, 36, 2, 1, 8, 1, 10, 2]
    """
    return {
        "experiment 1": list(_cell_units(budget, seed)),
        "experiment 2": list(_cooled_units(budget, seed)),
        "recommended sampler": [
            Unit(fit.key(number), sample_fit, (fit, number, seed), fit.seconds)
            for fit in fits(budget)
            for number in range(fit.sets)
        ],
        "Metropolis": list(_metropolis_units(budget, seed)),
        "integrators": list(_integrator_units(budget, seed)),
        "approximations": list(_approximated_units(budget, seed)),
        "Gaussian approximations": list(_modes_units(budget, seed)),
        "joint modes": list(_joint_units(budget, seed)) if every or joint_modes.there() else [],
        "priors": list(_prior_units(budget, seed)),
        "bridges": list(_bridge_units(budget, seed)),
    }


def _trajectories(budget: Budget) -> float:
    """Length of runs, as a share of the report's."""
    return budget.share * budget.leapfrogs / 1000


def _cell_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for cell in cells(budget, STEP_SIZES):
        seconds = 0.5 + budget.runs * SECONDS_OF_A_RUN * _trajectories(budget)
        yield Unit(cell_key(cell), sample_cell, (cell, budget, seed), seconds)


def _metropolis_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for cell in cells(budget, METROPOLIS_STEPS):
        seconds = 0.5 + budget.metropolis * SECONDS_OF_METROPOLIS * budget.share
        yield Unit(metropolis_key(cell), sample_metropolis, (cell, budget, seed), seconds)


def _cooled_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.cooled):
        seconds = 0.5 + SECONDS_OF_COOLING * _trajectories(budget)
        yield Unit(cooled_key(number), sample_cooled, (number, budget, seed), seconds)


def _integrator_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for target in TARGETS[: budget.cells]:
        length = budget.integrators / 8 * min(1.0, budget.leapfrogs / 1000)
        seconds = SECONDS_TO_START + SECONDS_OF_A_SETTING * length
        arguments = (target, budget, seed)
        yield Unit(integrators_key(target), compare_integrators, arguments, seconds)


def _approximated_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.approximated):
        networks = 2 if number < budget.believed else 1
        length = networks * min(1.0, budget.steps / 10_000) ** 0.5  # some end before they have to
        seconds = 2 * SECONDS_TO_START + SECONDS_OF_A_FIT * length
        yield Unit(approximated_key(number), approximate, (number, budget, seed), seconds)


def _modes_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.sets):
        seconds = 1.0 + SECONDS_OF_MODES * budget.modes
        yield Unit(modes_key(number), approximate_by_evidence, (number, budget, seed), seconds)


def _joint_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.approximated):
        seconds = SECONDS_TO_START + SECONDS_OF_A_START * budget.modes
        arguments = (number, budget, seed)
        yield Unit(joint_key(number), joint_modes.approximate_at_joint_modes, arguments, seconds)


def _prior_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.believed):
        length = budget.along * budget.ladder * (2 + STAY) * _trajectories(budget)
        seconds = 1.0 + length * SECONDS_OF_A_RUN / iterations(ANNEALED)
        arguments = (number, budget, seed)
        yield Unit(prior_key(LOGISTIC, number), integrate_along_runs, arguments, seconds)
    for name in PRIORS:
        for number in range(budget.believed):
            each = SECONDS_OF_HEAVY_TAILS if name == HEAVY else SECONDS_OF_A_PRIOR
            seconds = 2.0 + each * budget.ladder / 250
            of_prior = (name, number, budget, seed)
            yield Unit(prior_key(name, number), measure_prior, of_prior, seconds)


def _bridge_units(budget: Budget, seed: int) -> Iterator[Unit]:
    for number in range(budget.believed):
        seconds = SECONDS_TO_START + SECONDS_OF_BRIDGES * budget.ladder / 250
        yield Unit(bridged_key(number), bridge_priors, (number, budget, seed), seconds)
