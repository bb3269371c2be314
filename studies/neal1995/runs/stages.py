"""Units of work."""

from collections.abc import Iterator
from pathlib import Path

from ...reproduction.units import Unit
from ..design.budgets import Budget
from ..design.settings import INITIAL, LENGTHS, LONG, LONGER, SETTINGS, SHORTER, SUPER
from .boston import boston_key, predict_fold
from .fits import fit_relevance, fit_width, width_keys
from .functions import FAMILIES, draw
from .initial import initial_key, run_initial
from .limits import LIMITS, fit_limit, limit_key
from .methods import long_key, long_sets, methods_key, run_long, run_method
from .sampling import run_sampling, sampling_key
from .stable import STABLE, draw_stable
from .trajectories import follow_one, look_at_errors

LARGE_GRADIENT, SMALL_GRADIENT = 8e-6, 2e-6  # seconds
START = 2.0  # of what a unit compiles


def initial_units(budget: Budget, seed: int) -> list[Unit]:
    """Runs of the initial phase."""
    seconds = START + LARGE_GRADIENT * budget.first * budget.leapfrogs * len(INITIAL)
    return [
        Unit(initial_key(k), run_initial, (k, budget, seed), seconds) for k in range(budget.runs)
    ]


def later_units(folder: Path, budget: Budget, seed: int) -> list[Unit]:
    """What goes on from where the initial phase ends."""
    units = [
        Unit(f"errors-{k}", look_at_errors, (k, folder, budget, seed), START)
        for k in range(budget.along)
    ]
    units += [Unit(f"along-{k}", follow_one, (k, folder, seed), START) for k in range(budget.along)]
    gradients = SUPER * budget.leapfrogs
    for woven, lengths in ((False, LENGTHS), (True, SHORTER)):
        seconds = LARGE_GRADIENT * gradients * (budget.woven if woven else budget.later)
        for k in range(budget.chains):
            for length in lengths:
                arguments = (k, length, woven, folder, budget, seed)
                key = sampling_key(k, length, woven)
                units.append(Unit(key, run_sampling, arguments, START + seconds))
    return units


def method_units(budget: Budget, seed: int) -> Iterator[Unit]:
    """Methods at equal gradients."""
    for method, settings in SETTINGS.items():
        seconds = START + SMALL_GRADIENT * budget.gradients * (len(settings) + 0.5)
        for k in range(budget.sets):
            arguments = (method, k, budget, seed)
            yield Unit(methods_key(method, k), run_method, arguments, seconds)
    for method, settings in LONG.items():
        seconds = START + SMALL_GRADIENT * budget.gradients * (LONGER * len(settings) + 0.5)
        for k in long_sets(budget):
            yield Unit(long_key(method, k), run_long, (method, k, budget, seed), seconds)


def chapter_units(budget: Budget, seed: int) -> Iterator[Unit]:
    """Chapters 2 and 4."""
    each = budget.fitted * budget.share
    for prior in LIMITS:
        seconds = budget.fitted * (24.0 if prior == "learnt" else 4.0)
        yield Unit(limit_key(prior), fit_limit, (prior, budget, seed), seconds)
    for prior, width, key in reversed(list(width_keys(budget))):
        seconds = START + each * (0.5 + width / 300)
        yield Unit(key, fit_width, (prior, width, budget, seed), seconds)
    for prior in ("ARD", "shared"):
        yield Unit(f"relevance-{prior}", fit_relevance, (prior, budget, seed), START + 2.0 * each)
    for family in FAMILIES:
        yield Unit(family.key, draw, (family, budget.draws, seed), START)
    for wide in STABLE:
        yield Unit(wide.key, draw_stable, (wide, budget.draws, seed), START)
    for fold in range(budget.folds):
        yield Unit(boston_key(fold), predict_fold, (fold, budget, seed), START + 8 * budget.share)
