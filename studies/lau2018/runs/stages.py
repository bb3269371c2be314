"""Units of work: baselines, the thesis's tables, and what is beyond them."""

from collections.abc import Sequence
from dataclasses import replace

from ...reproduction.units import Unit
from ..design.budgets import Budget
from ..design.candidates import SEEN
from ..design.confirming import BLOCKS, INPUTS, SHUFFLED, confirmed, peer_key
from ..design.declarations import Experiment
from ..design.durations import SECONDS_AROUND, seconds
from ..design.experiments import THESIS
from ..design.keys import baseline_key, fold_key, limit_errors_key, limit_key
from .arithmetic import N_LEAPFROG, NETWORKS, energy_differences
from .baselines import BASELINES, fit_baseline, train_committee
from .confirming import GRIDS, PEERS, confirm_network, confirm_peer
from .first_steps import FIRST_STEPS_KEY, compare_first_steps
from .fits import fit_experiment, fit_fold, fit_on_others
from .limit import count_errors, score_scales
from .matching import match_experiment
from .windows import WINDOWS_KEY, update_variances

COMMITTEE_INPUTS = ("raw", "unit")
BASELINE_INPUTS = ("unit", "edges")
SECONDS_PER_MEMBER = 0.25
SECONDS_TO_MATCH = 300.0
SECONDS_FOR_SCALES = 10.0
SECONDS_OF_PEER = {
    "SVM": 15.0,
    "logistic regression": 1.0,
    "boosted trees": 45.0,
    "Gaussian process": 320.0,
}
SECONDS_TO_START = 4.0
SECONDS_TO_WARM_UP = 0.18  # for an iteration, by trees of full depth
FAR = 1000  # between seeds of one run of the study and of the next


def stages_of(budget: Budget, seed: int) -> dict[str, list[Unit]]:
    """Declare all units of work, stage by stage.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.lau2018.runs.stages import stages_of
    >>> list(stages_of(BUDGETS["desk"], 0))[-3:]
    ['tables', 'agreement', 'moment matching']
    """
    chosen = budget.candidates()
    first = [row for row in chosen if "-seed" not in row.row]
    tables = [row for name in THESIS for row in budget.table(name)]
    stages = {
        "baselines": baseline_units(budget, seed),
        "factors": fit_units(budget.factors(), seed),
        "candidates": fit_units([budget.in_full(row) for row in chosen], seed),
        "folds": [unit for row in first for unit in fold_units(row, budget.folds, seed)],
        "confirmation": confirming_units(budget, seed),
        "tables": [
            *fit_units(tables, seed),
            *arithmetic_units(budget, seed),
            *algorithm_units(budget, seed),
        ],
        "agreement": [*fit_units(budget.ways(), seed), *agreed_units(budget, seed)],
        "moment matching": matched_units(first, budget, seed),
    }
    return {title: units for title, units in stages.items() if units}


def baseline_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare committees, other classifiers, and infinitely wide networks."""
    committees = [
        Unit(
            f"committee-{inputs}",
            train_committee,
            (inputs, budget.members, seed),
            5.0 + SECONDS_PER_MEMBER * budget.members,
        )
        for inputs in COMMITTEE_INPUTS
    ]
    others = [
        Unit(baseline_key(name, inputs), fit_baseline, (name, inputs), 20.0)
        for name in BASELINES
        for inputs in BASELINE_INPUTS
    ]
    limits = [
        Unit(key(inputs), function, (inputs,), SECONDS_FOR_SCALES)
        for key, function in ((limit_key, score_scales), (limit_errors_key, count_errors))
        for inputs in SEEN.values()
        if budget.folds
    ]
    return committees + others + limits


def fit_units(rows: Sequence[Experiment], seed: int) -> list[Unit]:
    """Declare experiments, those that compile the same code next to each other."""
    return [Unit(row.key, fit_experiment, (_seeded(row, seed),), seconds(row)) for row in rows]


def agreed_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare networks whose chains are to agree."""
    rows = [(row.key, _seeded(row, seed), seconds(row)) for row in budget.agreed()]
    return [Unit(key, fit_on_others, (row,), lasts) for key, row, lasts in rows]


def fold_units(row: Experiment, folds: int, seed: int) -> list[Unit]:
    """Declare fits of an experiment without a block of the training cases."""
    return [
        Unit(
            fold_key(row, fold, folds),
            fit_fold,
            (_seeded(row, seed), fold, folds),
            (seconds(row) - SECONDS_AROUND) * (1 - 1 / folds) + SECONDS_TO_START,
        )
        for fold in range(folds)
    ]


def confirming_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare what was chosen and its peers, on digits that no choice of it has used."""
    if budget.confirmed is None:
        return []
    row = replace(confirmed(), **vars(budget.confirmed))
    network = Unit(row.key, confirm_network, (_seeded(row, seed),), seconds(row))
    peers = [
        Unit(
            peer_key(name, inputs, folds),
            confirm_peer,
            (name, inputs, folds),
            SECONDS_OF_PEER[name],
        )
        for folds in (BLOCKS, SHUFFLED)
        for name in PEERS
        for inputs in INPUTS
        if folds == BLOCKS or GRIDS[name]
    ]
    return [network, *peers]


def arithmetic_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare comparisons of single with double precision."""
    trajectories = budget.beyond.draws
    arguments = (trajectories, budget.beyond.tune)
    return [
        Unit(
            f"arithmetic-{name}",
            energy_differences,
            (name, *arguments, N_LEAPFROG, seed),
            SECONDS_TO_START + 0.1 * trajectories,
        )
        for name in NETWORKS
    ]


def algorithm_units(budget: Budget, seed: int) -> list[Unit]:
    """Declare what is measured of algorithms of chapter 2."""
    chains, tune = 2 * budget.thesis.chains, budget.thesis.tune
    return [
        Unit(WINDOWS_KEY, update_variances, (), SECONDS_TO_START),
        Unit(
            FIRST_STEPS_KEY,
            compare_first_steps,
            (chains, tune, seed),
            SECONDS_TO_START + SECONDS_TO_WARM_UP * 2 * chains * tune,
        ),
    ]


def matched_units(rows: Sequence[Experiment], budget: Budget, seed: int) -> list[Unit]:
    """Declare repairs by moment matching."""
    return [
        Unit(
            f"matched-{row.key}",
            match_experiment,
            (_seeded(row, seed),),
            seconds(row) + SECONDS_TO_MATCH,
        )
        for row in rows
        if row.row in budget.matched
    ]


def _seeded(row: Experiment, seed: int) -> Experiment:
    return row if seed == 0 else row.reseeded(FAR * seed)
