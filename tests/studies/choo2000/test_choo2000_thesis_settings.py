"""Settings that the thesis found best are in the grids, and are judged beside the others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
from pymc_bnn.studies.choo2000.design.methods import THESIS
from pymc_bnn.studies.choo2000.design.published import published
from pymc_bnn.studies.choo2000.numbers.analysis import best_setting
from pymc_bnn.studies.choo2000.numbers.results import Results
from pymc_bnn.studies.choo2000.numbers.thesis_settings import all_at_once, thesis_settings
from pymc_bnn.studies.choo2000.runs.master import summarize_master
from pymc_bnn.studies.choo2000.runs.trials import grid_units, trial_key
from pymc_bnn.studies.choo2000.study import settings
from pymc_bnn.studies.choo2000.words.discussed import thesis_settings as said

from .test_choo2000_page import save_master, save_trial

DESK = BUDGETS["desk"]


@pytest.mark.parametrize("name", ["desk", "paper"])
def test_grids_hold_what_the_thesis_found_best(name: str) -> None:
    budget = BUDGETS[name]
    keys = {unit.key for unit in grid_units(Path(), budget, 0)}
    for row in published("optimal_settings").itertuples():
        known = budget.settings(row.method, row.hidden_units)
        near = [s for s in known if abs(s[0] - row.leapfrog_steps) <= 1 and s[1] == row.step_factor]
        assert len(near) == 1
        assert trial_key(row.method, row.hidden_units, *near[0]) in keys
        assert len(set(known)) == len(known)


def test_only_what_is_missing_is_added() -> None:
    added = {(m, w): DESK.added(m, w) for m in THESIS for w in (*DESK.widths, *DESK.wide)}
    assert {at: found[0] for at, found in added.items() if found} == {
        ("gibbs", 16): (100, 0.4),
        ("dynamical_a", 8): (25, 0.64),
        ("dynamical_a", 16): (200, 0.453),
        ("dynamical_b", 8): (533, 0.04),
        ("dynamical_b", 12): (533, 0.08),
        ("dynamical_b", 20): (17, 0.16),
    }
    assert DESK.added("collapsed_gibbs", 8) == []
    # results of before go together with these
    assert settings(DESK) == settings(replace(DESK, thesis_best=()))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Dynamical B at 8 units, whose added setting has a quarter of the variance of the others."""
    means = summarize_master(save_master(tmp_path, 0.25, interweave=1))["mean"]
    for setting, deviation in (((67, 0.08), 2.0), ((67, 0.16), 1.5), ((533, 0.04), 0.75)):
        save_trial(tmp_path, trial_key("dynamical_b", 8, *setting), means, deviation, deviation)
    return Results(tmp_path, replace(DESK, widths=(8,), wide=()))


def test_the_best_setting_may_be_an_added_one(results: Results) -> None:
    assert best_setting(results.folder, results.budget, "dynamical_b", 8) == (533, 0.04)
    without = replace(results.budget, thesis_best=())
    assert best_setting(results.folder, without, "dynamical_b", 8) == (67, 0.16)


def test_added_settings_stand_beside_the_best_other_one(results: Results) -> None:
    table = thesis_settings(results)
    [row] = table.to_dict("records")
    assert [row[name] for name in ("thesis's l", "thesis's eta", "l", "eta")] == [
        533,
        0.04,
        67,
        0.16,
    ]
    assert row["ratio"] == pytest.approx(0.25)
    assert row["g"] / row["g of it"] == pytest.approx(0.25)
    assert said(all_at_once(table)).startswith("- Dynamical B, 8 units: smaller confirmed, 0.25")


def test_statements_hold_for_all_rows_at_once() -> None:
    head = {"method": "Dynamical A", "hidden units": 8, "ratio": 0.9}
    rows = [{**head, "low": 0.81, "high": 0.99}] * 6
    alone, many = (all_at_once(pd.DataFrame(rows[:n])) for n in (1, 6))
    assert (many["high, at once"] > 1).all()
    assert (many["high, at once"] > alone["high, at once"][0]).all()
    assert "undecided, 0.90 (" in said(many)
    pd.testing.assert_frame_equal(all_at_once(many), many)
    refuted = many.assign(**{name: np.full(6, 1.2) for name in ("ratio", "low, at once")})
    assert said(refuted).count("smaller refuted") == 6
