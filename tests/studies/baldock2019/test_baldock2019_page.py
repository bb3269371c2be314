"""The page of the study of Baldock and Marzari: what it says follows from its numbers."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
from pymc_bnn.studies.baldock2019.numbers import derived, evidence, tables
from pymc_bnn.studies.baldock2019.numbers.least_errors import differences, least
from pymc_bnn.studies.baldock2019.numbers.levels import level
from pymc_bnn.studies.baldock2019.runs.stages import PARTS
from pymc_bnn.studies.baldock2019.words import cold as of_cold
from pymc_bnn.studies.baldock2019.words import conclusions, judgements, transitions
from pymc_bnn.studies.baldock2019.words import modes as of_modes
from pymc_bnn.studies.baldock2019.words import ordinary as of_ordinary
from pymc_bnn.studies.baldock2019.words.page import PAGE, summary
from pymc_bnn.studies.pages.page import rewrite_page, write_page
from pymc_bnn.studies.reproduction.claims import Claim
from pymc_bnn.studies.reproduction.estimates import Estimate
from pymc_bnn.studies.reproduction.results import Results
from pymc_bnn.studies.reproduction.verdicts import Verdict

from .made_results import held, tables_of

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def found() -> dict:
    """Tables of results where everything is as the paper says it."""
    return tables_of(held(1.0, 1.0, 2.0))


@pytest.fixture(scope="module")
def other() -> dict:
    """Tables of results where nothing is."""
    return tables_of(held(100.0, 2.0, 1.5, apart=200.0))


def verdicts(claims: list[Claim]) -> set[Verdict]:
    return {claim.verdict for claim in claims}


def test_claims_stand_where_numbers_say_so(found: dict) -> None:
    assert verdicts(conclusions.against_minimised(found)) == {Verdict.STANDS}
    assert verdicts(conclusions.where_best(found)[:2]) == {Verdict.STANDS}
    assert verdicts(conclusions.stops_early(found)) == {Verdict.STANDS}
    assert conclusions.uninformed(found)[1].verdict == Verdict.STANDS
    assert "**Stands.**" in transitions.both_ways(found)
    assert "Does not" not in transitions.both_ways(found)


def test_and_fail_where_they_say_the_opposite(found: dict, other: dict) -> None:
    alike = tables_of(held(100.0, 2.0, 1.5))
    assert verdicts(conclusions.against_minimised(alike)) == {Verdict.FAILS}
    # where directions are apart, they are two and not four chains
    assert verdicts(conclusions.against_minimised(other)) == {Verdict.UNDECIDED}
    assert verdicts(conclusions.where_best(other)[:2]) == {Verdict.FAILS}
    assert conclusions.where_best(other)[2].verdict == Verdict.STANDS  # above 1
    assert verdicts(conclusions.uninformed(found)[:1]) == {Verdict.FAILS}
    worse = tables_of(held(1.0, 4.0, 2.0))  # than log 10, at all temperatures
    assert verdicts(conclusions.uninformed(worse)[:1]) == {Verdict.STANDS}
    assert "Does not stand" in conclusions.figure_4(other)
    assert "**Stands.**" not in transitions.both_ways(other)
    text = transitions.walls(found)
    assert text.count("fill the box at T = 1. **Stands.**") == 2
    assert text.count("fill the box at T = 1. **Does not stand.** Filled 0.40, 0.40; at T = ∞") == 2


def test_evidence_is_the_integral_of_energies() -> None:
    """Energies of n (1 - 1 / (1 + T)) = n / (1 + beta) integrate to n log 2."""
    table = evidence.evidence(held(1.0, 1.0, 2.0))
    rows = table[(table["cases"] == 50) & (table["network"] == "M3")]
    assert set(rows["by"]) == {"cooling", "heating"}
    # what remains of the trapezia's error, which the noise of variances hides, is below a nat
    np.testing.assert_allclose(rows["log evidence"], -50 * np.log(2), atol=1.0)
    assert (table[table["by"] == "the paper"]["log evidence"] < 0).all()


def test_widths_are_compared_on_the_same_cases(found: dict) -> None:
    table = derived.widths(found)
    assert table["factor"].tolist() == [25.0, 25.0, 50.0, 50.0, 100.0, 100.0]
    # all were made with the same energies, so that networks differ by noise alone
    assert (table["M(3) less M(1)"].abs() < 10).all()


def test_chains_that_stay_in_modes_do_not_agree_and_those_of_a_ladder_do(found: dict) -> None:
    table = found["modes"]
    alone, ladder = table[table["sampled"] == "alone"], table[table["sampled"] == "ladder"]
    np.testing.assert_allclose(alone["low"].dropna(), 0.4)
    np.testing.assert_allclose(alone["first half"], 0.9)
    # the chains' spread alone
    np.testing.assert_allclose(alone["± low"].dropna(), np.sqrt(0.24 / 9))
    assert (alone["R-hat"] > 1.5).all()
    assert (ladder["R-hat"] < 1.01).all()
    mirrored = found["modes"]["cases"] == "mirrored"
    assert found["modes"].loc[mirrored, "low"].isna().all()
    text = of_modes.modes(found)
    assert text.count("Chains alone agree") == text.count("Does not stand") - 1 == 3
    assert text.count("Chains of a ladder agree") == text.count("**Stands.**") == 3
    # ten chains that each stay on one side do not know what share both have
    assert "give both sides of 1-3-1, cases mirrored a probability of one half. **Undecided" in text


def test_the_best_temperature_of_tables_is_judged_over_splits() -> None:
    for best, verdict in ((1.0, "**Stands.**"), (0.1, "**Does not stand.**")):
        made = tables_of(held(best, 1.0, 2.0))
        assert of_cold.cold(made).count(verdict) == 4
        table = of_cold.summed(made)
        at_one = table[table["temperature"] == 1.0]
        assert (at_one["less that at 1"] == 0).all()
        assert (at_one["±"] == 0).all()


@pytest.mark.parametrize(
    ("gain", "verdict", "said"),
    [
        (3.0, "**Stands.**", "clearly wins for: 8 units, 32 units, 8-8 units, gaussian"),
        (0.3, "**Does not stand.**", "Nowhere does exchange clearly win"),
        (1.0, "**Undecided.**", "Nowhere does exchange clearly win"),
    ],
)
def test_exchange_becomes_the_default_only_where_it_clearly_wins(
    gain: float, verdict: str, said: str
) -> None:
    made = tables_of(held(1.0, 1.0, 2.0, gain=gain))
    text = of_ordinary.ordinary(made)
    claims = text.count("Chains alone have fewer")
    assert claims == len(of_ordinary.by_network(made)) == 3 + 6 + 5 + 1
    # at a gain of 1 one of many intervals may miss it
    assert text.count(verdict) >= claims - (gain == 1)
    assert said in text


def test_draws_that_are_unknown_count_as_one_of_each_chain() -> None:
    results = held(1.0, 1.0, 2.0)
    key = next(key for key in results.units if key.startswith("ordinary"))
    results.units[key]["ess"][1] = np.nan
    row = tables_of(results)["ordinary"].iloc[0]
    assert row["ESS/s ladder"] == 4 / 2.0
    assert np.isclose(row["ESS/s alone"], 50, rtol=0.5)


def test_minimised_networks_are_counted_over_all_parts() -> None:
    table = tables.minimised(held(1.0, 1.0, 2.0))
    assert (table["networks"] == 5 * PARTS).all()
    assert np.allclose(table["test error"], 2.0, atol=0.02)


def test_averages_are_over_networks_that_no_other_has() -> None:
    """Probabilities of two cases by five networks, two at a time."""
    each = np.array([[0.2, 0.4], [0.6, 0.8], [0.1, 0.3], [0.5, 0.9], [0.7, 0.7]])
    found = xr.Dataset({"log_probability": (("network", "case"), np.log(each))})
    expected = -np.log([[0.4, 0.6], [0.3, 0.6]]).mean(axis=1)
    np.testing.assert_allclose(tables.averages(found, 2), expected)
    assert tables.averages(found, 6).size == tables.averages(found[[]], 2).size == 0


def test_a_single_number_without_an_error_says_nothing() -> None:
    assert level([3.0], [0.0]).interval() == (-np.inf, np.inf)
    assert level([3.0], [0.5]).interval()[0] < 3.0 - 12 * 0.5  # nor of other chains
    assert level([3.0, 3.0], [0.0, 0.0]).error == 0


def test_chains_that_disagree_widen_what_is_said() -> None:
    table = tables.temperatures(held(1.0, 1.0, 2.0))
    rows = table[(table["network"] == "M3") & (table["cases"] == 500)].copy()
    exact = differences(rows[rows["walls"] == "reflect"], "test error")
    rows.loc[rows["direction"] == "heating", "test error"] += 0.5 * np.log10(
        rows["temperature"].clip(upper=1e6)
    )
    spread = differences(rows[rows["walls"] == "reflect"], "test error")
    assert spread[0.1].error > 10 * exact[0.1].error
    assert min(one.error for one in exact.values()) == 0  # the best, by itself


def test_annealing_stops_where_errors_clearly_rise(found: dict) -> None:
    table = derived.stopping(found)
    here = table[(table["network"] == "M3") & (table["cases"] == 500)]
    np.testing.assert_allclose(here["stops at T"], 1.0)
    np.testing.assert_allclose(here["best T"], 1.0)


def test_and_not_where_they_may_have_risen(found: dict) -> None:
    """By one standard error, or by three."""
    rows = found["temperatures"]
    one = (rows["network"] == "M3") & (rows["cases"] == 500) & (rows["direction"] == "cooling")
    path = rows[one & (rows["walls"] == "reflect") & (rows["chain"] == 0)].copy()
    for rise, stops in ((1.0, path["temperature"].min()), (3.0, 1.0)):
        noise = 0.1 / np.sqrt(2)  # so that a difference has an error of 0.1
        path["test error"] = 2.0 + 0.1 * rise * (path["temperature"] < 0.9)
        path["± test"] = noise
        table = derived.stopping({"temperatures": path})
        np.testing.assert_allclose(table["stops at T"], stops)


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((-3.0, -4.0), Verdict.STANDS),
        ((3.0, 4.0), Verdict.FAILS),
        ((-3.0, 0.1), Verdict.UNDECIDED),
    ],
)
def test_choices_are_the_same_only_if_clear(values: tuple[float, ...], verdict: Verdict) -> None:
    found = {value: Estimate(value, 0.5) for value in values}
    assert judgements.less(found) == verdict
    same = Verdict.UNDECIDED if verdict == Verdict.UNDECIDED else Verdict.STANDS
    assert judgements.same_choice(found) == same


def test_opposite_choices_and_far_numbers_fail() -> None:
    opposite = {0: Estimate(-3.0, 0.5), 1: Estimate(3.0, 0.5)}
    assert judgements.same_choice(opposite) == Verdict.FAILS
    assert judgements.same_choice({0: Estimate(-3.0, 0.5)}) == Verdict.UNDECIDED
    assert judgements.as_printed(Estimate(10.0, 0.1), Estimate(10.2, 0.2)) == Verdict.STANDS
    assert judgements.as_printed(Estimate(10.0, 2.0), Estimate(10.2, 0.2)) == Verdict.UNDECIDED
    assert judgements.as_printed(Estimate(12.0, 0.1), Estimate(10.2, 0.2)) == Verdict.FAILS
    assert judgements.same(Estimate(1.0, 0.01), Estimate(1.05, 0.01)) == Verdict.STANDS
    assert judgements.same(Estimate(1.0, 0.01), Estimate(1.5, 0.01)) == Verdict.FAILS
    assert judgements.same(Estimate(1.0, 0.2), Estimate(1.1, 0.2)) == Verdict.UNDECIDED
    assert judgements.fills([0.4, 0.5]) == Verdict.FAILS
    assert judgements.fills([0.95, 0.99]) == Verdict.STANDS
    assert judgements.fills([0.4, 0.99]) == judgements.fills([]) == Verdict.UNDECIDED


def test_the_page_is_written_from_results_and_again_from_its_tables(tmp_path: Path) -> None:
    results = held(1.0, 1.0, 2.0)
    written = write_page(PAGE, results, tmp_path)
    before = written[0].read_text()
    assert {path.stem for path in written if path.suffix == ".png"} == {
        "walk",
        "figure_3",
        "figure_4",
        "averaged",
    }
    assert "Not run yet" not in before
    counts = [int(n) for n in re.findall(r"stands: (\d+)", before)]
    assert sum(counts) == before.count("**Stands.**")
    assert rewrite_page(PAGE, results.budget, tmp_path)[0].read_text() == before
    assert summary(results).row_count > 5


def test_without_results_the_page_says_so(tmp_path: Path) -> None:
    page = write_page(PAGE, Results(tmp_path / "none", BUDGETS["smoke"]), tmp_path)[0]
    text = page.read_text()
    assert "Not run yet" in text
    assert "not to be compared" in text


@pytest.mark.parametrize("budget", ["desk", "gpu"])
def test_the_page_says_what_its_tables_say(tmp_path: Path, budget: str) -> None:
    """If this fails, write the page anew by `pages.page.rewrite_page` and read what changed."""
    name = PAGE.name_of(BUDGETS[budget])
    shutil.copytree(DOCS / "studies" / name, tmp_path / "studies" / name)
    shutil.copytree(DOCS / "_static" / name, tmp_path / "_static" / name)
    page = rewrite_page(PAGE, BUDGETS[budget], tmp_path)[0]
    assert page.read_text() == (DOCS / "studies" / f"{name}.md").read_text()


def test_least_errors_that_agree_by_chance_are_as_uncertain_as_their_own_errors() -> None:
    temperatures = np.array([0.1, 1.0, 10.0])
    errors = pd.DataFrame(
        {
            "direction": "cooling",
            "chain": np.repeat(range(4), 3),
            "temperature": np.tile(temperatures, 4),
            "test error": np.tile([1.0, 0.99, 1.0], 4),
        }
    )
    sure, unsure = (least(errors.assign(**{"± test": e}), "test error") for e in (1e-6, 0.1))
    assert sure.value == unsure.value == 0.0
    assert sure.error == pytest.approx(1 / np.sqrt(12))
    # places are about uniform on -1, 0 and 1, and four are averaged
    assert unsure.error == pytest.approx(np.hypot(np.sqrt(2 / 3 / 4), 1 / np.sqrt(12)), rel=0.05)
