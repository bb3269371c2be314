"""Log evidences by ladders: errors that are as large as chains that begin alike differ by."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.baldock2019.numbers import ladders
from pymc_bnn.studies.baldock2019.numbers.derived import evidence_by_way, widths
from pymc_bnn.studies.baldock2019.numbers.evidence import LADDERS
from pymc_bnn.studies.baldock2019.words import transitions
from pymc_bnn.studies.baldock2019.words.page import reached

from .made_results import held, tables_of


@pytest.fixture(scope="module")
def found() -> dict:
    """Tables of results where everything is as the paper says it."""
    return tables_of(held(1.0, 1.0, 2.0))


def pair(network: str, apart: float, by: str = "cooling", own: float = 1.0) -> pd.DataFrame:
    """Two chains that begin alike, so far from each other."""
    named = {"network": network, "cases": 50, "by": by, "chain": [0, 1]}
    return pd.DataFrame(named | {"log evidence": [-100.0, -100.0 - apart], "±": own})


def alone(network: str) -> pd.DataFrame:
    return pair(network, 0.0).head(1)


def line_of(text: str, start: str) -> str:
    [line] = [one for one in text.splitlines() if one.startswith(f"- {start}") and "evid" in one]
    return line


@pytest.mark.parametrize(("apart", "verdict"), [(1.0, "Does not stand"), (40.0, "Undecided")])
def test_like_chains_far_apart_make_what_other_chains_say_undecided(
    found: dict, apart: float, verdict: str
) -> None:
    """A pair with 50 cases says how far single chains with 500 may be off."""
    table = found["evidence"].copy()
    here = table["network"] == "M3star"
    table.loc[here, "±"] = 1.0
    table.loc[here, "log evidence"] = -400.0 - 100 * (table["by"] == "cooling")
    pairs = here & (table["cases"] == 50)
    table.loc[pairs, "log evidence"] = -100.0 - apart * (table["chain"] == 1)
    text = transitions.both_ways(found | {"evidence": table})
    line = line_of(text, "M(3*) with 500 cases")
    assert f"**{verdict}.** Cooled less heated: -100 ±" in line


def test_a_network_has_one_factor_over_cases_and_directions() -> None:
    table = pd.concat([pair("M3", 6.0), pair("M3", 8.0, "heating"), pair("M1", 0.5)])
    each = ladders.factors(table)
    assert each.loc["M3", "factor"] == pytest.approx(np.sqrt((36 + 64) / 2 / 2))
    assert each["pairs"].to_dict() == {"M3": 2, "M1": 1}
    wide = ladders.widened_ladders(table)
    np.testing.assert_allclose(wide["wide ±"], [5, 5, 5, 5, 1, 1])


def test_factors_make_no_error_smaller() -> None:
    for apart in (0.0, 0.1, 1.0):
        assert ladders.factors(pair("M3", apart)).loc["M3", "factor"] == 1


def test_a_chain_alone_has_the_factor_of_all_pairs() -> None:
    table = pd.concat([pair("M3", 6.0), pair("M1", 8.0), alone("M1wide")])
    each = ladders.factors(table)
    assert each.loc["M1wide", "factor"] == pytest.approx(5.0)
    assert each.loc["M1wide", "pairs"] == 1


def test_nothing_is_widened_where_nothing_is_alike() -> None:
    wide = ladders.widened_ladders(alone("M1wide"))
    assert wide["wide ±"].tolist() == [1.0]
    assert np.isinf(wide["pairs"]).all()
    assert ladders.evidence_of(wide).wide.freedom == 1


def test_an_interval_is_no_surer_than_its_pairs() -> None:
    """Also where two chains agree so well that their own errors are what counts."""
    one = ladders.evidence_of(ladders.widened_ladders(pair("M3", 0.5)))
    assert np.isinf(one.plain.freedom)
    assert one.wide.freedom == 1
    assert one.wider == one.wide


def test_bridges_and_printed_numbers_keep_their_errors(found: dict) -> None:
    wide = ladders.widened_ladders(found["evidence"])
    others = wide[~wide["by"].isin(LADDERS)]
    assert len(others)
    assert (others["wide ±"] == others["±"]).all()


def test_tables_show_errors_that_are_widened(found: dict) -> None:
    table = found["evidence"].copy()
    here = (table["network"] == "M3") & (table["cases"] == 50)
    table.loc[here, "log evidence"] -= 1000.0 * table["chain"]
    tables = found | {"evidence": table}
    kept = ladders.widened_ladders(table).query("network == 'M3' and cases == 2500")
    shown = evidence_by_way(tables).query("network == 'M(3)' and cases == 2500").iloc[0]
    assert shown["wide ± cooling"] == kept["wide ±"].iloc[0] > 100 * kept["±"].iloc[0]
    assert "± cooling" not in shown
    assert widths(tables)["wide ±"].max() > 2 * widths(found)["wide ±"].max()


def test_factors_are_named_with_their_pairs(found: dict) -> None:
    table = pd.concat([pair("M3", 6.0), pair("M1", 0.0), alone("M1wide")])
    text = reached(found | {"evidence": table})
    assert "M(1) 1 (1), M(3) 4.2 (1); of all 2 pairs together 3." in text


def test_the_bridge_is_named_where_there_is_one(found: dict) -> None:
    assert "as the next section says" in transitions.evidence(found)
    without = {name: table for name, table in found.items() if name != "bridges"}
    without["evidence"] = found["evidence"][found["evidence"]["by"] != "bridge"]
    assert "bridge" not in transitions.evidence(without)
    assert not [name for name in evidence_by_way(without) if "bridge" in name]


def test_corrections_by_variances_of_few_draws_are_counted(found: dict) -> None:
    table = found["temperatures"].copy()
    one = (table["network"] == "M3") & (table["cases"] == 50) & (table["chain"] == 0)
    one &= (table["walls"] == "reflect") & (table["direction"] == "cooling")
    hot = one & np.isclose(table["temperature"], 1.0)
    assert hot.sum() == 1
    table["± training"], table["heat capacity"] = 0.0, 0.0
    count = len(ladders.corrections(found))
    assert "fewer than" not in transitions.evidence(found | {"temperatures": table})
    table.loc[hot, ["± training", "heat capacity"]] = [0.1, 50.0]  # 50 over 5 squared
    assert f"In 1 of {count} chains" in transitions.evidence(found | {"temperatures": table})
    assert (ladders.corrections(found)["nats"].abs() < 10).all()
