"""The page of the study of Neal (1992): differences and rates by data set, failures in means."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.neal1992.numbers.derived import OF_FITS, by_cell, differences_to_ours, small
from pymc_bnn.studies.neal1992.numbers.rates import paired, predicted, rate_by_set
from pymc_bnn.studies.neal1992.words.annealed import medians, of_failures
from pymc_bnn.studies.neal1992.words.experiment_1 import conclude, conclude_stuck
from pymc_bnn.studies.neal1992.words.experiment_2 import starts
from pymc_bnn.studies.neal1992.words.recommended import beside
from pymc_bnn.studies.reproduction.rates import mean_of, rate

TABLES = Path(__file__).parents[3] / "docs" / "studies" / "neal1992"


def kept(*names: str) -> dict[str, pd.DataFrame]:
    return {name: pd.read_csv(TABLES / f"{name}.csv") for name in names}


def test_differences_are_taken_seed_by_seed() -> None:
    runs = pd.DataFrame({"run": [0, 1, 2, 0, 1, 2], "way": [*"aaabbb"]})
    runs["data set"], runs["failed"] = runs["run"], [0.0, 1.0, 2.0, 1.0, 2.0, 3.1]
    found = paired(runs, "failed", runs["way"] == "a", runs["way"] == "b")
    assert found.value == pytest.approx(-1.1 / 3 - 2 / 3)
    assert found.error < 0.05 < mean_of(runs["failed"]).error
    assert predicted(runs["failed"]).error > runs["failed"].std()


def test_seeds_on_one_data_set_are_no_more_than_one() -> None:
    """Five seeds that do the same leave the interval of their data sets as it is."""
    rng, many = np.random.default_rng(0), 5
    one = pd.DataFrame({"run": [*range(20)] * 2, "way": ["a"] * 20 + ["b"] * 20})
    one["data set"], one["failed"] = one["run"], rng.random(40)
    same = [one.assign(run=one["run"] + 20 * k) for k in range(many)]
    found = []
    for runs in (one, pd.concat(same)):
        found.append(paired(runs, "failed", runs["way"] == "a", runs["way"] == "b"))
    assert found[1].interval() == pytest.approx(found[0].interval())
    assert found[1].freedom == 19


def test_rates_have_intervals_over_data_sets() -> None:
    sets = pd.Series(np.arange(100) % 20)
    alike, apart = sets < 5, pd.Series(np.arange(100) < 25)  # 25 failures on five sets, and on all
    of_alike, of_apart = (rate_by_set(happened, sets) for happened in (alike, apart))
    assert of_alike.value == pytest.approx(of_apart.value) == 0.25
    assert of_alike.high - of_alike.low > 3 * (of_apart.high - of_apart.low)
    assert rate_by_set(sets < 0, sets) == rate(0, 20)
    assert rate_by_set(sets >= 0, sets) == rate(20, 20)
    assert rate_by_set(sets < 1, sets).low == 0.0


def test_cells_and_claims_of_experiment_1_are_by_data_set() -> None:
    tables = kept("runs")
    runs = tables["runs"].assign(failed=tables["runs"]["test error"] >= 0.0075)
    by = ["way", "step size", "spread", "data set"]
    each = runs.groupby(by, sort=False)["failed"].mean()
    found = by_cell(tables["runs"])
    first = each[: runs["data set"].nunique()]
    assert found.iloc[0]["from %"] == pytest.approx(100 * mean_of(first).interval()[0])
    rates = runs.groupby(["way", "data set"])["failed"].mean()
    low, high = mean_of(100 * (rates["annealed"] - rates["plain"])).interval()
    assert f"({low:.3g} to {high:.3g}) %" in conclude(tables)
    free = runs[(runs["rejected"] <= 0.95) & (runs["spread"] == 0.5) & (runs["way"] == "plain")]
    free = free[np.isclose(free["step size"], 0.71e-4, rtol=0.01)].groupby("data set")
    each = free[["rejected early", "rejected"]].mean()
    low, high = mean_of(100 * (each["rejected early"] - each["rejected"])).interval(2)
    assert f"({low:.3g} to {high:.3g}) %" in conclude_stuck(tables)


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [((0.7, 0.7), "Stands"), ((0.7, 0.5), "Does not stand"), ((0.7, 0.6), "Undecided")],
)
def test_rejections_are_those_of_the_runs_of_figure_2(
    shares: tuple[float, float], verdict: str
) -> None:
    """What other cells reject says nothing, and both ways have to be near 70%."""
    tables = kept("runs")
    runs = tables["runs"].copy()
    noise = 0.01 * ((runs["data set"] % 5) - 2)
    runs["rejected"], runs["rejected early"] = 0.3 + noise, 0.2 + noise
    here = np.isclose(runs["step size"], 0.71e-4, rtol=0.01) & (runs["spread"] == 0.5)
    for way, share in zip(("annealed", "plain"), shares, strict=True):
        runs.loc[here & (runs["way"] == way), "rejected"] = share + noise
    said = conclude_stuck({"runs": runs}).splitlines()[0]
    assert said.startswith("- In the runs of Figure 2 that are not stuck, annealed or not,")
    assert f"**{verdict}.**" in said


def test_a_fit_has_the_interval_by_which_its_claim_is_judged() -> None:
    tables = kept("starts", "sets")
    row = small(tables).set_index("fit").loc[OF_FITS["small"]]
    assert row[["failed", "data sets", "with a failure"]].tolist() == [5, 20, 1]
    said = re.search(r"5 of 100; on 1 of 20 data sets, (.*?) to (.*?)%", starts(tables))
    assert said is not None
    assert [float(end) for end in said.groups()] == pytest.approx(
        [row["from %"], row["to %"]], rel=0.05
    )


def test_means_of_few_failures_stand_beside_medians() -> None:
    tables = kept("cooled", "sets", "starts", "approximations")
    cooled = tables["cooled"]
    ours = tables["sets"][tables["sets"]["fit"] == "large"].set_index("data set")["excess"]
    gap = ours - cooled.groupby("data set")["excess"].mean()
    said = medians(tables, "large", "annealed", "excess")
    assert (
        said == f"median {gap.median():.3g}, below zero on {int((gap < 0).sum())} of 20 data sets"
    )
    assert beside(tables).count(said) == 2
    without = mean_of(
        ours - cooled[cooled["test error"] < 600].groupby("data set")["excess"].mean()
    )
    pairs = {"ours": ("large", "annealed")}
    found = of_failures(tables, pairs, "excess")
    assert found.startswith("Of 100 annealed runs 4 failed, on 4 data sets")
    assert f"ours: {without.value:.3g} (" in found
    none = {**tables, "cooled": cooled[cooled["test error"] < 600]}
    assert of_failures(none, pairs, "excess") == ""


def test_differences_say_of_how_many_data_sets_they_are() -> None:
    tables = kept("cooled", "sets", "starts", "approximations")
    whole, approximations = differences_to_ours(tables), tables["approximations"]
    some = (approximations["method"] != "mean field") | (approximations["data set"] < 3)
    few = differences_to_ours({**tables, "approximations": approximations[some]})
    counts = [one.set_index("less the recommended")["data sets"] for one in (whole, few)]
    assert [one["variational, mean field"] for one in counts] == [20, 3]
    assert [one["report's, annealed"] for one in counts] == [20, 20]
