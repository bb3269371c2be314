"""Units of work."""

from collections.abc import Iterator
from itertools import pairwise

from ...reproduction.units import Unit
from ..design.budgets import Budget, Exchange, Minimised
from ..design.cold import TEMPERATURES, Cold
from ..design.images import MOST_SHIPPED
from ..design.modes import Modes
from ..design.ordinary import Ordinary
from ..design.sweeps import Sweep
from .bridging import CASES, bridge
from .cold import sample_cold
from .exchanging import exchange
from .fetching import fetch
from .minimising import minimise
from .modes import ALONE, LADDER, sample_modes
from .ordinary import SHARES, WAYS, sample_ordinary
from .sweeps import go_through

SECONDS_TO_START = 8.0
SECONDS_TO_FETCH = 120.0  # 15 MB, and to read them
SECONDS_PER_LEAPFROG = 0.23e-3  # both of two processors busy
# of a leapfrog, by precision of the kernel; minimised networks follow the graph
SECONDS_PER_CASE = {"single": 0.8e-6, "double": 2.3e-6, "graph": 4.4e-6}
SECONDS_PER_TEST = 0.5  # of all that are tested at a temperature
SECONDS_PER_SMALL_DRAW = 0.6e-3  # of a small network, by chain and temperature
SECONDS_PER_REGRESSION_DRAW = 5e-3  # by chain and temperature
SECONDS_TO_COMPARE = 10.0  # one way of sampling: compilation, the first pilot, diagnoses
PARTS = 4  # units of minimised networks


def sweep_key(sweep: Sweep, direction: str, chain: int) -> str:
    """Name the result of a chain that goes through all temperatures."""
    kind = "sweep" if sweep.ladder is None else "ladder"
    return f"{kind}-{sweep.network}-{sweep.cases}-{sweep.walls}-{direction}-{chain}"


def minimised_key(declared: Minimised, part: int) -> str:
    """Name the result of some minimised networks."""
    return f"minimised-{declared.network}-{declared.cases}-{part}"


def exchange_key(declared: Exchange) -> str:
    """Name the result of a ladder."""
    return f"exchange-{declared.network}-{declared.cases}"


def bridge_key(network: str) -> str:
    """Name the result of a bridge."""
    return f"bridge-{network}"


def modes_key(declared: Modes, way: str) -> str:
    """Name the result of a network with separate modes."""
    return f"modes-{declared.units}{'-mirrored' * declared.mirrored}-{way}"


def cold_key(declared: Cold, split: int) -> str:
    """Name the result of a regression on a split of a table."""
    return f"cold-{declared.table}-{declared.units}-{split}"


def ordinary_key(declared: Ordinary) -> str:
    """Name the result of a network with and without exchange."""
    table = declared.table.split(",")[0].replace(" ", "").lower()
    return f"ordinary-{table}-{declared.variant}-{declared.units}"


def leapfrog(cases: int, by: str) -> float:
    """Seconds of a leapfrog step."""
    return SECONDS_PER_LEAPFROG + SECONDS_PER_CASE[by] * cases


def stages_of(budget: Budget, seed: int) -> dict[str, list[Unit]]:
    """Declare all units of work, stage by stage; the longest of a stage begin.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.baldock2019.runs.stages import stages_of
    >>> [len(units) for units in stages_of(BUDGETS["smoke"], 0).values()]
    [2, 2, 1, 2, 2, 1]
    """
    stages = {
        "images": list(fetch_units(budget)),
        "temperatures": [
            unit for sweep in budget.sweeps for unit in sweep_units(sweep, budget, seed)
        ],
        "minimised networks": [u for one in budget.minimised for u in minimised_units(one, seed)],
        "replica exchange": [exchange_unit(one, budget, seed) for one in budget.exchanges],
        "bridges": list(bridge_units(budget, seed)),
        "separate modes": [unit for one in budget.modes for unit in modes_units(one, seed)],
        "ordinary tables": [unit for one in budget.cold for unit in cold_units(one, seed)],
        "with and without exchange": [ordinary_unit(one, seed) for one in budget.ordinary],
    }
    return {title: units for title, units in stages.items() if units}


def fetch_units(budget: Budget) -> Iterator[Unit]:
    """Declare that images are fetched, if they do not ship with dependencies."""
    largest = max(sweep.cases for sweep in budget.sweeps)
    if largest > MOST_SHIPPED:
        yield Unit(f"images-{largest}", fetch, (largest,), SECONDS_TO_FETCH)


def sweep_units(sweep: Sweep, budget: Budget, seed: int) -> Iterator[Unit]:
    """Declare the chains of a sweep."""
    trajectory = budget.leapfrogs * leapfrog(sweep.cases, "single")
    length = budget.tune + budget.draws
    if sweep.ladder is not None:
        length = sweep.ladder.trajectories * (sweep.ladder.tune + sweep.ladder.draws)
    each = length * trajectory + SECONDS_PER_TEST
    for chain in range(sweep.chains):
        for i, direction in enumerate(sweep.directions):
            yield Unit(
                sweep_key(sweep, direction, chain),
                go_through,
                (sweep, direction, budget, [seed, sweep.cases, i, chain]),
                SECONDS_TO_START + len(sweep.temperatures()) * each,
            )


def minimised_units(declared: Minimised, seed: int) -> Iterator[Unit]:
    """Declare minimised networks, some in each unit."""
    parts = min(PARTS, declared.networks)
    ends = [declared.networks * part // parts for part in range(parts + 1)]
    for part, (first, last) in enumerate(pairwise(ends)):
        each = declared.steps * leapfrog(declared.cases, "graph") + SECONDS_PER_TEST
        yield Unit(
            minimised_key(declared, part),
            minimise,
            (declared, first, last - first, seed),
            SECONDS_TO_START + (last - first) * each,
        )


def exchange_unit(declared: Exchange, budget: Budget, seed: int) -> Unit:
    """Declare a ladder."""
    trajectories = (declared.tune + declared.draws) * declared.temperatures
    seconds = trajectories * budget.leapfrogs * leapfrog(declared.cases, "single")
    arguments = (declared, budget.leapfrogs, [seed, declared.cases])
    return Unit(exchange_key(declared), exchange, arguments, SECONDS_TO_START + seconds)


def bridge_units(budget: Budget, seed: int) -> Iterator[Unit]:
    """Declare the bridges."""
    if budget.bridges is None:
        return
    trajectories = 2 * budget.bridges.trajectories * (10 + budget.bridges.bridges)
    leapfrogs = trajectories * budget.bridges.chains * budget.leapfrogs
    for network in budget.evidence_of:
        arguments = (network, budget.bridges, budget.leapfrogs, [seed, CASES])
        seconds = SECONDS_TO_START + leapfrogs * leapfrog(CASES, "double")
        yield Unit(bridge_key(network), bridge, arguments, seconds)


def modes_units(declared: Modes, seed: int) -> Iterator[Unit]:
    """Declare a network with separate modes, the ladders first."""
    length = (declared.tune + declared.draws) * SECONDS_PER_SMALL_DRAW
    for way, chains in (
        (LADDER, declared.ladders * declared.temperatures),
        (ALONE, declared.chains),
    ):
        seconds = SECONDS_TO_START + chains * length
        yield Unit(modes_key(declared, way), sample_modes, (declared, way, seed), seconds)


def cold_units(declared: Cold, seed: int) -> Iterator[Unit]:
    """Declare the splits of a table."""
    draws = len(TEMPERATURES) * declared.chains * (declared.tune + declared.draws)
    for split in range(declared.splits):
        seconds = SECONDS_TO_START + draws * SECONDS_PER_REGRESSION_DRAW
        yield Unit(cold_key(declared, split), sample_cold, (declared, split, seed), seconds)


def ordinary_unit(declared: Ordinary, seed: int) -> Unit:
    """Declare a network with and without exchange."""
    seconds = len(WAYS) * (SECONDS_TO_COMPARE + (1 + sum(SHARES)) * declared.seconds)
    return Unit(ordinary_key(declared), sample_ordinary, (declared, seed), seconds)
