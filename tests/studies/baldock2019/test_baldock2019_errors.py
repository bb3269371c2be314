"""What intervals are made of: errors that are too small, networks that are alike, few chains."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
from pymc_bnn.studies.baldock2019.numbers.evidence import BRIDGE, LADDERS, PAPER
from pymc_bnn.studies.baldock2019.numbers.levels import (
    Level,
    level,
    levels_of,
    over_directions,
    widened,
)
from pymc_bnn.studies.baldock2019.words import cold as of_cold
from pymc_bnn.studies.baldock2019.words import conclusions, transitions
from pymc_bnn.studies.baldock2019.words import modes as of_modes
from pymc_bnn.studies.baldock2019.words import ordinary as of_ordinary
from pymc_bnn.studies.baldock2019.words.amounts import how_much
from pymc_bnn.studies.baldock2019.words.judgements import same
from pymc_bnn.studies.baldock2019.words.page import reached
from pymc_bnn.studies.baldock2019.words.short import IN_SHORT
from pymc_bnn.studies.reproduction.verdicts import Verdict

from .made_results import held, tables_of

RNG_SEED = 23
LADDER = np.geomspace(0.01, 100, 17)


@pytest.fixture(scope="module")
def found() -> dict:
    """Tables of results where everything is as the paper says it."""
    return tables_of(held(1.0, 1.0, 2.0))


def chains(scatter: float, own: float = 0.01) -> pd.DataFrame:
    """Two chains of each direction that scatter, but are the same at T = 1, with own errors."""
    rng = np.random.default_rng(RNG_SEED)
    rows = []
    for direction in LADDERS:
        for chain in range(2):
            named = {"network": "M3", "cases": 50, "walls": "reflect", "direction": direction}
            error = 3 + scatter * rng.normal(size=LADDER.size) * ~np.isclose(LADDER, 1)
            table = pd.DataFrame({"temperature": LADDER, "test error": error, "± test": own})
            rows.append(table.assign(**named, chain=chain))
    return pd.concat(rows, ignore_index=True)


@pytest.mark.parametrize(("scatter", "factor"), [(0.001, 1.0), (0.05, 5.0), (0.2, 20.0)])
def test_own_errors_are_widened_to_what_chains_differ_by(scatter: float, factor: float) -> None:
    rows = widened(chains(scatter))
    for _, one in rows.groupby("direction"):
        found = (one["wide ± test"] / one["± test"]).unique()
        assert found.size == 1
        assert found[0] == pytest.approx(factor, rel=0.4)


def test_chains_that_happen_to_agree_at_a_temperature_decide_nothing() -> None:
    """Their own errors would say that means are within a tenth of each other."""
    for scatter, verdict in ((0.001, Verdict.STANDS), (1.0, Verdict.UNDECIDED)):
        rows = conclusions.at(widened(chains(scatter)), 1.0)
        cooled, heated = (
            levels_of(rows[rows["direction"] == way], "test error") for way in LADDERS
        )
        assert same(cooled.plain, heated.plain) == Verdict.STANDS
        assert same(cooled, heated) == verdict


def test_widening_makes_no_interval_narrower() -> None:
    """Not even where a larger error of more degrees of freedom is added to a spread of two."""
    rows = widened(chains(0.05))
    for temperature in LADDER:
        here = conclusions.at(rows, temperature)
        cooled, heated = (
            levels_of(here[here["direction"] == way], "test error") for way in LADDERS
        )
        for wide, plain in (
            (cooled.wider, cooled.plain),
            (cooled.minus(heated), cooled.plain.minus(heated.plain)),
        ):
            assert wide.interval()[1] >= plain.interval()[1]


def test_a_single_chain_keeps_its_errors() -> None:
    rows = chains(0.2)
    alone = widened(rows[rows["chain"] == 0])
    assert (alone["wide ± test"] == alone["± test"]).all()


def test_a_bridge_is_as_uncertain_as_the_spread_of_its_chains(found: dict) -> None:
    bridges = BUDGETS["desk"].bridges
    assert bridges is not None
    assert transitions.by_way(found, "M3", (BRIDGE,)).wider.freedom == bridges.chains - 1 == 1
    assert transitions.by_way(found, "M3", (PAPER,)).wider.freedom == np.inf
    more = found | {"run": pd.DataFrame({"budget": ["paper"]})}
    assert transitions.by_way(more, "M3", (BRIDGE,)).wider.freedom == 27


@pytest.mark.parametrize(("apart", "verdict"), [(-2332.0, "Stands"), (-1500.0, "Does not stand")])
def test_the_ratio_is_judged_against_the_one_that_is_printed(
    found: dict, apart: float, verdict: str
) -> None:
    table = found["evidence"].copy()
    ladders = table["by"].isin(LADDERS) & (table["cases"] == 500)
    for name, value in (("M3", apart - 400), ("M1", -400.0)):
        table.loc[ladders & (table["network"] == name), "log evidence"] = value
    text = transitions.evidence(found | {"evidence": table})
    assert (
        f"It is so by 2,332 nats. **{verdict}.** Ours less printed: {apart + 2332:+.3g} ±" in text
    )


def test_evidence_may_be_clearly_apart_and_about_the_same(found: dict) -> None:
    table = found["evidence"].copy()
    for way, shift in ((LADDERS[0], 0.0), (LADDERS[1], 2.0)):
        rows = (table["by"] == way) & (table["network"] == "M3") & (table["cases"] == 50)
        table.loc[rows, "log evidence"] = -100.0 + shift
        table.loc[rows, "±"] = 0.1
    text = transitions.both_ways(found | {"evidence": table})
    [line] = [one for one in text.splitlines() if "M(3) with 50 cases" in one and "evid" in one]
    assert "**Stands.**" in line
    assert "clearly apart, but by less than 3.0 nats" in line


def test_networks_of_one_table_count_once() -> None:
    """Chains alone win on two tables and lose on two, by networks that are all alike."""
    rng = np.random.default_rng(RNG_SEED)
    gains = {"a": 10.0, "b": 10.0, "c": 3.0, "d": 0.5}
    rows = pd.DataFrame([{"table": t, "prior": p} for t in gains for p in range(20)])
    rows["ESS/s ladder"] = np.exp(0.1 * rng.normal(size=len(rows)))
    rows["ESS/s alone"] = rows["table"].map(gains)
    loss = of_ordinary.loss(rows, "ESS/s")
    assert loss.freedom == 3
    assert loss.interval()[0] < 0 < loss.value
    here = rows[rows["table"] == "d"]
    alone = of_ordinary.loss(here, "ESS/s")
    assert alone.freedom == 19
    assert alone.interval()[1] < 0


def test_seconds_and_fits_that_did_not_converge_are_counted(found: dict) -> None:
    table = found["ordinary"].copy()
    table["R-hat alone"], table["R-hat ladder"] = 1.0, 1.05
    table.loc[:6, "R-hat ladder"] = 1.2
    table["seconds ladder"] = np.linspace(1.0, 4.0, len(table))
    text = of_ordinary.ordinary({"ordinary": table})
    assert "Ladders took 0.5 to 2 times the seconds of chains alone, 1.2 times in" in text
    assert f"for 0 of {len(table)} networks by chains alone and for 7 by ladders" in text


@pytest.mark.parametrize(("rhat", "verdict"), [(1.1, "Stands"), (1.2, "Undecided")])
def test_temperatures_whose_chains_disagree_decide_nothing(
    found: dict, rhat: float, verdict: str
) -> None:
    table = found["cold"].copy()
    one = (table["units"] == 8) & (table["table"] == "autompg") & (table["temperature"] == 0.5)
    table.loc[one & (table["split"] == 1), "R-hat"] = rhat
    lines = of_cold.cold(found | {"cold": table}).splitlines()
    assert f"**{verdict}.**" in lines[0]
    assert ("chains at T = 0.5 do not agree: R-hat up to 1.2" in lines[0]) == (rhat > 1.1)
    assert all("**Stands.**" in line for line in lines[1:])


def test_two_chains_that_cannot_decide_say_so(found: dict) -> None:
    """Not where four chains, or where other numbers, could."""
    *_, two = conclusions.where_best(found)
    assert two.verdict == Verdict.UNDECIDED
    assert "2 chains cannot decide this: if both had the same one, the interval" in two.evidence
    other = tables_of(held(100.0, 2.0, 1.5))
    for claim in (*conclusions.where_best(found)[:2], *conclusions.where_best(other)):
        assert "cannot decide" not in claim.evidence


def test_intervals_of_temperatures_end_where_temperatures_do(found: dict) -> None:
    rows = found["temperatures"].copy()
    rows["test error"] = np.random.default_rng(RNG_SEED).normal(size=len(rows))
    for claim in conclusions.where_best({"temperatures": rows}):
        assert claim.verdict == Verdict.UNDECIDED
    assert "(all temperatures)" in claim.evidence


def test_a_place_that_is_the_best_one_has_no_error(found: dict) -> None:
    [claim] = conclusions.stops_early(found)
    assert "500 cases, chain 0: the same temperature" in claim.evidence
    assert "± 0 " not in claim.evidence


def test_claims_of_single_draws_name_what_averages_do(found: dict) -> None:
    for claim in conclusions.uninformed(found):
        assert claim.text.endswith("by the mean error of a draw")
        assert "averaged over draws is 0.7 at T = 1" in claim.evidence


def test_how_much_was_run_is_said_of_each_part(found: dict) -> None:
    text = how_much(found["run"].iloc[0], BUDGETS["desk"])
    for said in (
        "10 draws of each chain at each temperature predict the test cases",
        "10 distributions of 20 trajectories, 2 chains; the paper has 100, 100 and 28",
        "90 networks, 4 chains alone and 4 ladders of 8 temperatures, 8 seconds",
        "M(3) with 50 cases at 29 temperatures, 150 trajectories of each replica after 50",
    ):
        assert said in text


def test_what_was_accepted_is_said_beside_what_was_aimed_at(found: dict) -> None:
    table = found["temperatures"].copy()
    text = "is {:.2f} in the median over chains and temperatures, and {:.0%} are within"
    assert text.format(0.65, 1) in reached(found)
    table.loc[table["walls"] == "reflect", "acceptance"] = 0.8
    assert text.format(0.8, 0) in reached({"temperatures": table})


def test_the_head_names_what_ladders_cost_and_where_they_do_not_help(found: dict) -> None:
    table = found["modes"].copy()
    table.loc[table["sampled"] == "ladder", "seconds"] *= 9.5
    said = of_modes.modes(found | {"modes": table})
    lines = [one.write(said) for one in IN_SHORT.answers if one.section == "Separate modes"]
    assert len(lines) == 4
    assert (
        sum("10 ladders, in 9.5 times the seconds of chains alone" in line for line in lines) == 2
    )
    assert any("mirrored" in line for line in lines)


@pytest.mark.parametrize(("apart", "freedom"), [(0.1, 3), (4.0, 1)])
def test_directions_that_differ_are_what_is_independent(apart: float, freedom: float) -> None:
    """Four chains are four where both directions agree, and two where they do not."""
    rows = pd.DataFrame({"direction": [*"cchh"], "x": [0.0, 1.0, apart, 1.0 + apart]})

    def mean(some: pd.DataFrame) -> Level:
        one = level(some["x"], np.zeros(len(some)))
        return Level(one, one)

    found = over_directions(rows, mean).wider
    assert found.freedom == freedom
    assert found.value == pytest.approx(0.5 + apart / 2)
    if freedom == 1:
        assert found.error == pytest.approx(apart / 2)
        assert over_directions(rows[:2], mean) == mean(rows[:2])
