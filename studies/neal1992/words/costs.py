"""What the page says of how long all this takes."""

from ...pages.kept_tables import Tables
from ...reproduction.unit_progress import say_estimate
from ..design.budgets import Budget
from ..design.schedules import ANNEALED, COOLING, iterations
from ..runs.stages import stages_of

LEAPFROGS = 1000  # of a trajectory of the report
MINUTE, MILLION = 60.0, 1e6
AIMS = {"desk": 8.0, "paper": 30.0}  # minutes on two processors


def count(budget: Budget) -> int:
    """How many units of work a budget declares.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.words.costs import count
    >>> count(BUDGETS["desk"])
    140
    """
    return sum(len(units) for units in stages_of(budget, 0, every=True).values())


def declared(budget: Budget) -> str:
    """Say how long all units of a budget take, as they are declared.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.words.costs import declared
    >>> declared(BUDGETS["desk"])[:40]
    'All units together are estimated to take'
    """
    stages = stages_of(budget, 0, every=True).values()
    units = (unit for units in stages for unit in units)
    return say_estimate(units, AIMS.get(budget.name), ", where what they compile is there")


def least(tables: Tables) -> tuple[str, ...]:
    """Say what the report's own experiments cost: gradients, times the seconds of one."""
    if not {"runs", "cooled", "metropolis"} <= set(tables):
        return ()
    share = tables["cooled"]["gradients"].median() / (iterations(COOLING) * LEAPFROGS)
    of_run = share * iterations(ANNEALED) * LEAPFROGS  # also evaluations of Metropolis
    parts = {
        "gradients of experiment 1": ("runs", len(tables["runs"]) * of_run),
        "of experiment 2": ("cooled", tables["cooled"]["gradients"].sum()),
        "energies of Metropolis": ("metropolis", len(tables["metropolis"]) * of_run),
    }
    seconds = {text: float(tables[name]["seconds"].sum()) for text, (name, _) in parts.items()}
    said = [
        f"{count / MILLION:.3g} million {text}, {MILLION * seconds[text] / count:.2g} microseconds "
        "each"
        for text, (_, count) in parts.items()
    ]
    total = sum(seconds.values()) / MINUTE
    return (
        f"The report's own experiments are {total:.0f} minutes of these at the least: "
        f"{'; '.join(said)}.\n",
    )
