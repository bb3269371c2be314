"""Results of the study of Baldock and Marzari that are made up, so that verdicts are known."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS, Budget
from pymc_bnn.studies.baldock2019.design.cold import TEMPERATURES
from pymc_bnn.studies.baldock2019.design.sweeps import Sweep
from pymc_bnn.studies.baldock2019.runs.stages import (
    PARTS,
    bridge_key,
    cold_key,
    exchange_key,
    minimised_key,
    modes_key,
    ordinary_key,
    sweep_key,
)
from pymc_bnn.studies.baldock2019.words.page import PAGE
from pymc_bnn.studies.reproduction.results import Results

RNG = np.random.default_rng(8)
DRAWS, TESTED = 40, 10


def made_sweep(sweep: Sweep, best: float, least: float, apart: float = 0.0) -> xr.Dataset:
    """A chain whose test errors are least at a temperature, and its energies those of a normal."""
    ladder = np.array(sweep.temperatures())
    known = np.minimum(ladder, 1e6)
    error = least + np.log10(known / best) ** 2 + apart / 200
    energy = sweep.cases * (1 - 1 / (1 + known)) + apart
    noise = RNG.normal(size=(len(ladder), DRAWS))
    return xr.Dataset(
        {
            "energy": (("temperature", "draw"), energy[:, None] + 0.1 * noise),
            "test_error": (("temperature", "kept"), error[:, None] + 0.001 * noise[:, :TESTED]),
            "predictive": ("temperature", error - 0.3),
            "wrong": ("temperature", np.full(len(ladder), 0.2)),
            "filled": ("temperature", np.full(len(ladder), 0.4 if sweep.walls == "reject" else 1)),
            "acceptance": ("temperature", np.full(len(ladder), 0.65)),
        },
        {"temperature": ladder},
    )


def made_minima(networks: int, error: float) -> xr.Dataset:
    columns = {"energy": 1e-6, "wrong": 0.3, "steps": 900.0, "largest": 30.0}
    data = {name: ("network", np.full(networks, value)) for name, value in columns.items()}
    test = error + 0.01 * RNG.normal(size=networks)
    each = np.repeat(-test[:, None], 6, axis=1)
    kept = {"test_error": ("network", test), "log_probability": (("network", "case"), each)}
    return xr.Dataset(data | kept)


def made_ladder(temperatures: int) -> xr.Dataset:
    replica = np.tile(np.arange(temperatures), (DRAWS, 1))
    ladder = np.geomspace(0.01, 100, temperatures)
    dims = ("draw", "temperature")
    energy = np.broadcast_to(50 * ladder, replica.shape)
    swapped = np.append(np.full(temperatures - 1, 0.4), np.nan)
    return xr.Dataset(
        {
            "energy": (dims, energy),
            "replica": (dims, replica),
            "swapped": ("temperature", swapped),
            "round_trips": 3,
        },
        {"temperature": ladder},
    )


def made_modes(low: float, first: float) -> xr.Dataset:
    """Chains that each stay in one of the modes, in these shares."""
    chains, draws = 10, 200
    noise = RNG.normal(size=(chains, draws))
    place = (np.arange(chains) + 0.5) / chains
    values = np.where(place < low, 70.0, 95.0)[:, None] + noise
    lead = np.where(place < first, 20.0, -20.0)[:, None] + noise
    dims = ("chain", "draw")
    columns = {"log_likelihood": (dims, values), "lead": (dims, lead)}
    return xr.Dataset(columns).assign(seconds=9.0, round_trips=2)


def made_cold(best: float) -> xr.Dataset:
    ladder = np.array(TEMPERATURES)
    error = np.log(ladder / best) ** 2 + 0.01 * RNG.normal(size=ladder.size)
    columns = {"error": error, "rmse": np.sqrt(error + 1), "rhat": np.ones(ladder.size)}
    data = {name: ("temperature", values) for name, values in columns.items()}
    return xr.Dataset(data, {"temperature": ladder})


def made_ordinary(gain: float) -> xr.Dataset:
    """A ladder with so many times the effective draws of chains alone."""
    noise = np.exp(0.1 * RNG.normal(size=(2, 2)))
    ess, hyper = np.array([100.0, 100.0 * gain]) * noise
    columns = {"ess": ess, "ess_hyper": hyper, "rhat": 1 + 1 / ess, "rhat_hyper": 1 + 1 / hyper}
    columns |= {"seconds": np.array([2.0, 2.0]), "draws": np.array([50, 50])}
    data = {name: ("way", values) for name, values in columns.items()}
    return xr.Dataset(data, {"way": ["alone", "ladder"]})


@dataclass(frozen=True)
class Held(Results[Budget]):
    """Results in memory."""

    units: dict[str, xr.Dataset] = field(default_factory=dict)

    def load(self, key: str, group: str | None = None) -> xr.Dataset | None:
        return self.units.get(key)

    def count(self) -> int:
        return len(self.units)


def held(
    best: float, least: float, minimised: float, apart: float = 0.0, gain: float = 1.0
) -> Held:
    """Results of all units; heated chains have energies so much higher, errors a 200th of it."""
    budget, units = BUDGETS["desk"], {}
    for sweep in budget.sweeps:
        for direction in sweep.directions:
            for chain in range(sweep.chains):
                made = made_sweep(sweep, best, least, apart * (direction == "heating"))
                units[sweep_key(sweep, direction, chain)] = made
    for declared in budget.minimised:
        for part in range(min(PARTS, declared.networks)):
            units[minimised_key(declared, part)] = made_minima(5, minimised)
    for ladder in budget.exchanges:
        units[exchange_key(ladder)] = made_ladder(ladder.temperatures)
    for small in budget.modes:
        units[modes_key(small, "alone")] = made_modes(0.4, 0.9)
        units[modes_key(small, "ladder")] = made_modes(0.0, 0.5)
    for table in budget.cold:
        for split in range(table.splits):
            units[cold_key(table, split)] = made_cold(best)
    for ordinary in budget.ordinary:
        units[ordinary_key(ordinary)] = made_ordinary(gain)
    for network in budget.evidence_of:
        found = {"log_evidence": -200.0, "error": 3.0, "cautions": "One caution."}
        units[bridge_key(network)] = xr.Dataset(found)
    return Held(Path("nothing"), budget, units)


def tables_of(results: Held) -> dict:
    measured = {name: source.measure(results) for name, source in PAGE.sources.items()}
    run = pd.DataFrame({"budget": [results.budget.name], "results": [results.count()]})
    return {"run": run} | {name: table for name, table in measured.items() if not table.empty}
