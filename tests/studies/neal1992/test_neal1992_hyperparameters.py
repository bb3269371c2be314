"""Effective draws of hyperparameters, of cooled runs and of chains."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.runs import cooling
from pymc_bnn.studies.neal1992.runs.chains import LEVEL, Run
from pymc_bnn.studies.neal1992.runs.hyperparameters import effective_of_runs
from pymc_bnn.studies.neal1992.runs.recommended import effective_scales

from .test_neal1992 import levels
from .test_neal1992_page import TINY, made_up, tables_of

COUNT = 850


def run_with(found: dict[str, np.ndarray]) -> Run:
    return Run(found, np.ones(COUNT), np.ones(COUNT), 1.0)


def test_a_run_counts_its_scales_and_its_noise_over_the_last_draws() -> None:
    moving = levels(draws=COUNT)
    slow = {name: values.copy() for name, values in moving.items()}
    for name, values in slow.items():
        if name.endswith(LEVEL):
            values[-100:] = values[-1]
    early = {name: values.copy() for name, values in moving.items()}
    for values in early.values():
        values[:-100] = values[0]
    counts = [effective_of_runs(run_with(x), 0, np.random.default_rng(1)) for x in (moving, early)]
    assert 50 < counts[0] < 200
    assert counts[0] == counts[1]
    assert effective_of_runs(run_with(slow), 0, np.random.default_rng(1)) == 1.0  # 1, 1, 1, noise


def test_a_chain_counts_its_scalars_alone() -> None:
    rng = np.random.default_rng(2)
    still, moving = np.full(400, 0.3), rng.normal(size=400)
    weights = (("draw", "unit"), rng.normal(size=(400, 3)))
    chain = xr.Dataset({"w0": weights, "w0_precision": ("draw", moving)})
    assert 200 < effective_scales(chain) < 900
    chain = chain.assign(b0_precision=("draw", still), noise_precision=("draw", still))
    assert effective_scales(chain) == 1.0


def test_a_cooled_run_tells_of_its_own_hyperparameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a second run of the same seed."""
    found = run_with(levels(draws=COUNT))
    monkeypatch.setattr(cooling, "run", lambda *given: found)
    monkeypatch.setattr(cooling, "_measured", lambda *given: xr.Dataset({"seconds": 1.0}))
    told = cooling.sample_cooled(23, BUDGETS["smoke"], 0)
    by_hand = effective_of_runs(found, 3, np.random.default_rng([0, 23, 5]))
    assert told["effective_scales"] == by_hand
    table = tables_of(made_up(1.0))["hyperparameters"]
    assert list(table["run"]) == list(range(TINY.cooled))
