"""The study as a whole: master runs, then all methods over their grids."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from ..reproduction.study import Stage, Study
from ..reproduction.units import Unit
from .design.budgets import (
    BUDGETS,
    SECONDS_OF_MOVES,
    SECONDS_PER_LEAPFROG,
    SECONDS_PER_TRAJECTORY,
    SUPER_TRANSITIONS,
    Budget,
)
from .design.methods import ALONE, RECOMMENDED, THESIS
from .numbers.analysis import best_setting
from .numbers.results import Results
from .runs.discussed import discussed_units
from .runs.energies import energy_units
from .runs.many_starts import METHOD, many_units
from .runs.master import N_LEAPFROG, make_master
from .runs.rejections import rejection_units
from .runs.trials import grid_units, master_key, trial_unit
from .runs.unthinned import unthinned_units
from .runs.verification import verification_units
from .words.page import PAGE, summary

Choose = Callable[[Path, Budget, str, int], tuple[int, float]]


def stages_of(folder: Path, budget: Budget, seed: int) -> list[Stage]:
    """Declare all units of work, stage by stage.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.study import stages_of
    >>> [stage.title for stage in stages_of(Path("nothing"), BUDGETS["smoke"], 0)][:2]
    ['master runs', 'grids']
    """

    def again(*methods: str) -> Stage:
        best, expected = (
            partial(units_again, folder, budget, methods, seed, choose)
            for choose in (best_setting, any_setting)
        )
        return Stage("best settings again", best, expected)

    return [
        Stage("master runs", partial(master_units, budget, seed)),
        Stage("grids", partial(grid_units, folder, budget, seed)),
        again(METHOD, ALONE, RECOMMENDED),
        Stage("verification, energies, rejections", partial(check_units, folder, budget, seed)),
        again(*THESIS[1:]),
    ]


def settings(budget: Budget) -> dict[str, Any]:
    """Everything of a budget that results depend on."""
    found = asdict(budget)
    for more in ("grids", "wide_grids", "times", "unthinned", "thesis_best"):
        del found[more]  # results of other trials still go together
    return {"super_transitions": SUPER_TRANSITIONS, "settings": found}


def master_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare the master runs, the longest first.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.study import master_units
    >>> [unit.key for unit in master_units(BUDGETS["paper"], 0)][0]
    'master-16'
    """
    units = []
    for width in (*budget.widths, *budget.wide):
        for interweave in (False, True):
            if not interweave and width in budget.wide:
                continue
            samples = budget.interweaved_samples if interweave else budget.master_samples[width]
            separation = samples // 60 if interweave else budget.separations[width]
            each = N_LEAPFROG[interweave] * SECONDS_PER_LEAPFROG["gibbs"] * (0.5 + width / 16)
            each += SECONDS_OF_MOVES["collapsed_gibbs"] if interweave else 0.0
            arguments = (width, samples, separation, thin(samples), interweave)
            units.append(
                Unit(
                    master_key(width, interweave),
                    make_master,
                    (*arguments, (seed, width, int(interweave))),
                    samples * (each + SECONDS_PER_TRAJECTORY),
                )
            )
    return sorted(units, key=lambda unit: -unit.seconds)


def check_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """Declare what looks at trajectories and posteriors, all in one stage to keep processors busy.

    The first two have single long units, so they begin.
    """
    return [
        *verification_units(folder, budget, seed),
        *energy_units(folder, budget, seed),
        *discussed_units(folder, budget, seed),
        *unthinned_units(folder, budget, seed),
        *rejection_units(folder, budget, seed),
    ]


def thin(samples: int) -> int:
    """Trajectories per recorded state of a master run: the thesis's 100, fewer in a short run."""
    return 100 if samples >= 100_000 else 20


def any_setting(folder: Path, budget: Budget, method: str, width: int) -> tuple[int, float]:
    """Stand in for the best setting, to say how long it takes before it is known."""
    return budget.settings(method, width)[0]


def units_again(
    folder: Path, budget: Budget, methods: Sequence[str], seed: int, choose: Choose
) -> list[Unit]:
    """Declare best settings again, after those from many start states, which take longer."""
    many = growth_units(folder, budget, seed, choose) if METHOD in methods else []
    return [*many, *best_units(folder, budget, methods, seed, choose)]


def best_units(
    folder: Path,
    budget: Budget,
    methods: Sequence[str],
    seed: int,
    choose: Choose = best_setting,
) -> list[Unit]:
    """Declare the best settings of methods again, with other seeds (Choo 2000, 5.3).

    The old method and the recommended one also start from states of the master run with
    interweaving: is it another story where the tail is not missed?
    """
    units = []
    for method in methods:
        for width in (*budget.widths, *budget.wide):
            grids = budget.wide_grids if width in budget.wide else budget.grids
            if method not in grids:
                continue
            setting = choose(folder, budget, method, width)
            units.append(trial_unit(folder, budget, method, width, setting, seed, "again"))
            if method in ("gibbs", RECOMMENDED) and width in budget.widths:
                units.append(trial_unit(folder, budget, method, width, setting, seed, "tail"))
    return units


def growth_units(folder: Path, budget: Budget, seed: int, choose: Choose) -> list[Unit]:
    """Declare the old method at its best settings from many start states, the widest first."""
    widths = (*budget.widths, *budget.wide)[::-1] if budget.times else ()
    settings = {width: choose(folder, budget, METHOD, width) for width in widths}
    return many_units(folder, budget, seed, settings)


STUDY = Study(
    name="choo2000",
    version=2,
    budgets=BUDGETS,
    settings=settings,
    stages=stages_of,
    results=Results,
    page=PAGE,
    summary=summary,
)
