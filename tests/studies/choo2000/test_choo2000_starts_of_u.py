"""Variances of means of u, by start states: numbers known in advance, and each verdict."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.choo2000.design.budgets import BUDGETS, Grid
from pymc_bnn.studies.choo2000.design.published import published
from pymc_bnn.studies.choo2000.numbers import larger, starts_of_u
from pymc_bnn.studies.choo2000.numbers.results import Results
from pymc_bnn.studies.choo2000.runs.master import summarize_master
from pymc_bnn.studies.choo2000.words import discussed as words

from .test_choo2000_page import save_master, save_trial

OUTSIDE = 0.02  # deviation of chains from outside the region G, and twice that from inside


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Trials from both kinds of start states; one chain of the plain ones is far from the mean."""
    folder = tmp_path_factory.mktemp("units")
    save_master(folder, 0.1, interweave=0)
    means = summarize_master(save_master(folder, 0.25, interweave=1))["mean"]
    deviations = np.full(50, OUTSIDE)
    for stage in ("many", "tail"):
        save_trial(folder, f"{stage}-gibbs-8-50-0.4", means, deviations, 2 * OUTSIDE)
    deviations[0] = 10.0
    save_trial(folder, "again-gibbs-8-50-0.4", means, deviations, 2 * OUTSIDE)
    grids = {"gibbs": Grid((50,), (0.4,))}
    return Results(folder, replace(BUDGETS["smoke"], widths=(8,), grids=grids))


def test_ratios_of_start_states_and_true_means(results: Results) -> None:
    table = starts_of_u.u_by_starts(results)
    keys = [tuple(row) for row in table[["start states", "true means"]].to_numpy()]
    assert keys == [
        (s, m) for s in ("plain", *["interweaved"] * 2) for m in ("interweaved", "plain")
    ]
    thesis = published("performance").query("method == 'gibbs' and hidden_units == 8")
    rho = thesis.set_index("hyperparameter")["rho"]["u"]
    usual, far = OUTSIDE**2, 10.0**2
    expected = [0.75 * (39 * usual + far) / 40 + 0.25 * 4 * usual, 0.75 * usual + 0.25 * 4 * usual]
    woven = table[table["true means"] == "interweaved"][larger.TIMES]
    assert woven.tolist() == pytest.approx([expected[0] / rho, *[expected[1] / rho] * 2])
    means = [results.master(8, kind, "summary")["mean"].sel(hyperparameter="u") for kind in (1, 0)]
    shift = float(means[0] - means[1])
    plain = 0.9 * (OUTSIDE + shift) ** 2 + 0.1 * (2 * OUTSIDE + shift) ** 2
    assert table[larger.TIMES].tolist()[3::2] == pytest.approx([plain / rho] * 2)


def test_sets_as_low_as_the_thesiss_are_those_without_the_far_chain(results: Results) -> None:
    found = starts_of_u.u_by_starts(results).query("`true means` == 'interweaved'")["as low"]
    assert found.tolist()[1:] == [1.0, 1.0]
    share = (1 - 1 / 40) ** 40
    error = np.sqrt(share * (1 - share) / starts_of_u.SAMPLES)
    assert found.iloc[0] == pytest.approx(share, abs=3.5 * error)


@pytest.mark.parametrize(
    ("low", "high", "answers"),
    [
        (1.1, 3.0, ("confirmed", "undecided")),
        (2.1, 3.0, ("confirmed",) * 2),
        (0.8, 1.5, ("undecided", "refuted")),
        (0.5, 0.9, ("refuted",) * 2),
    ],
)
def test_start_states_have_every_verdict(low: float, high: float, answers: tuple[str, str]) -> None:
    row = {"start states": "plain", "chains": 50, "true means": "plain", "as low": 0.1}
    row |= {larger.TIMES: (low * high) ** 0.5, "low": low, "high": high, starts_of_u.OURS: 0.1}
    said = words.by_starts(pd.DataFrame([row])).splitlines()
    assert [line.split(": ")[1].split(",")[0].strip(".") for line in said] == list(answers)


@pytest.mark.parametrize(
    ("times", "answer"), [(4.0, "confirmed"), (1.1, "undecided"), (0.3, "refuted")]
)
def test_other_start_states_are_held_against_plain_ones(times: float, answer: str) -> None:
    columns = ["start states", "chains", "true means", larger.TIMES, "low", "high"]
    rows = [["plain", 50, "plain", 2.0, 1.0, 4.0], ["interweaved", 50, "plain", 2.0 * times, 1, 9]]
    table = pd.DataFrame(rows, columns=columns).assign(**{starts_of_u.OURS: 0.2, "as low": 0.0})
    found = starts_of_u.over_plain(table).iloc[0]
    assert found["ratio"] == pytest.approx(times)
    assert np.log(found["high"] / times) == pytest.approx(1.96 * 0.2 * 2**0.5, abs=1e-3)
    said = words.by_starts(table).splitlines()[-1]
    assert said.startswith(
        f"- larger than from plain ones, 50 interweaved start states, plain means: {answer}, "
    )


def test_intervals_hold_for_all_rows_at_once() -> None:
    one = pd.DataFrame({larger.TIMES: [2.0], "error of its log": [0.2]})
    six = starts_of_u.at_once(pd.concat([one] * 6, ignore_index=True))
    assert np.log(starts_of_u.at_once(one)["high"] / 2.0).iloc[0] == pytest.approx(
        1.96 * 0.2, abs=1e-3
    )
    assert (six["high"] > starts_of_u.at_once(one)["high"].iloc[0]).all()
