"""How long the study takes: what is declared, what is measured, and in which order units begin."""

from pathlib import Path

import pandas as pd
import pytest
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.numbers.approximated import GAUSSIAN
from pymc_bnn.studies.neal1992.runs.approximations.joint_modes import METHODS
from pymc_bnn.studies.neal1992.runs.stages import approximated_key, stages_of
from pymc_bnn.studies.neal1992.study import STUDY
from pymc_bnn.studies.neal1992.words.costs import count, declared, least
from pymc_bnn.studies.neal1992.words.page import PAGE, how_much

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", BUDGETS)
def test_what_compiles_longest_is_begun_first_and_not_by_two_at_once(name: str) -> None:
    budget = BUDGETS[name]
    [stage] = STUDY.stages(Path("none"), budget, 0)
    keys = [unit.key for unit in stage.units()]
    every = [approximated_key(number) for number in range(budget.approximated)]
    assert [keys[0], *keys[len(keys) - len(every) + 1 :]] == every
    units = [unit.key for declared in stages_of(budget, 0).values() for unit in declared]
    assert sorted(keys) == sorted(units)


def test_costs_are_gradients_times_the_seconds_of_one() -> None:
    tables = {
        "runs": pd.DataFrame({"seconds": [0.4, 0.6]}),  # of 200 000 gradients each
        "cooled": pd.DataFrame({"seconds": [6.8], "gradients": [850_000.0]}),
        "metropolis": pd.DataFrame({"seconds": [0.2] * 5}),
    }
    [said] = least(tables)
    assert "are 0 minutes of these" in said
    assert "0.4 million gradients of experiment 1, 2.5 microseconds each" in said
    assert "0.85 million of experiment 2, 8 microseconds each" in said
    assert "1 million energies of Metropolis, 1 microseconds each" in said
    longer = {name: pd.concat([table] * 60) for name, table in tables.items()}
    assert "are 9 minutes of these" in least(longer)[0]
    assert least({"runs": tables["runs"]}) == ()


def test_all_units_of_a_budget_are_declared() -> None:
    units = [one for found in stages_of(BUDGETS["paper"], 0).values() for one in found]
    minutes = sum(unit.seconds for unit in units) / 60
    assert f"to take {minutes:.0f} minutes of one processor" in declared(BUDGETS["paper"])


def test_the_page_counts_units_that_are_declared() -> None:
    """A folder of results may hold others as well, of units that there were once."""
    paper = BUDGETS["paper"]
    units = count(paper)
    for results in (units, units + 20):
        said = how_much(pd.Series({"results": results}), paper)
        assert f"`paper`, {units} units of work: " in said
    some = how_much(pd.Series({"results": 3}), paper)
    assert f"`paper`, {units} units of work, of which 3 are done: " in some


def test_committed_tables_are_of_all_units() -> None:
    tables = PAGE.format.read_all(DOCS / "studies" / "neal1992")
    cell = ["way", "step size", "spread"]
    found = [tables[name][cell].drop_duplicates() for name in ("runs", "metropolis")]
    found += [tables[name] for name in ("cooled", "sets", "priors")]
    found += [tables["integrators"]["target"].drop_duplicates()]
    each = tables["approximations"]
    at_modes = each[each["method"].isin(METHODS)]
    variational = each[~each["method"].isin([GAUSSIAN, *METHODS])]
    among = (variational, at_modes, tables["modes"])
    found += [one["data set"].drop_duplicates() for one in among]
    found += [tables["bridged"]["data set"].drop_duplicates()]
    assert sum(map(len, found)) == count(BUDGETS["paper"])
