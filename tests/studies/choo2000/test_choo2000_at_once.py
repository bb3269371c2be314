"""Verdicts of Choo's study that take several numbers at once."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.choo2000.numbers import beside, judged
from pymc_bnn.studies.choo2000.words import beyond_words, chapter_6
from pymc_bnn.studies.choo2000.words import table_words as words
from scipy.stats import norm


@pytest.mark.parametrize(
    ("standard_errors", "answer"), [(2.12, "undecided"), (2.95, "undecided"), (3.05, "yes")]
)
def test_statements_about_two_rates_are_judged_together(
    standard_errors: float, answer: str
) -> None:
    assert chapter_6.STATEMENTS == 18
    pair = [
        pd.Series({"at 2000": rate, "error at 2000": 0.01 / 2**0.5})
        for rate in (0.3 + 0.01 * standard_errors, 0.3)
    ]
    assert chapter_6.lower(*pair)[0] == answer


@pytest.mark.parametrize(("rate", "answer"), [(0.979, "undecided"), (0.7, "yes")])
def test_start_states_that_are_all_rejected_leave_an_error(rate: float, answer: str) -> None:
    all_rejected = pd.Series({"at 2000": 1.0, "error at 2000": 1.6e-16})
    other = pd.Series({"at 2000": rate, "error at 2000": 0.001})
    assert chapter_6.lower(all_rejected, other)[0] == answer
    assert chapter_6.of_rate(all_rejected)[0] < 0.9
    accepted = pd.Series({"at 2000": 0.0, "error at 2000": 0.0})
    assert chapter_6.of_rate(accepted)[1] == pytest.approx(1 - chapter_6.of_rate(all_rejected)[0])


def test_a_rise_is_a_growth_and_no_level() -> None:
    """The first sampler is rejected more often at both lengths, and no more so at the longer."""
    high = {"at 50": 0.4, "at 2000": 0.8, "error at 2000": 0.001}
    low = {"at 50": 0.1, "at 2000": 0.2, "error at 2000": 0.001}
    growth = {"growth": 2.0, "low": 1.9, "high": 2.1}
    pair = pd.Series(high | growth), pd.Series(low | growth)
    assert chapter_6.lower(*pair)[0] == "yes"
    assert chapter_6.steeper(*pair)[0] == "undecided"
    answer, shown = chapter_6.steeper(pair[0] * 2, pair[1])
    assert answer == "yes"
    assert shown.startswith("4.00 against 2.00 times as many")
    assert chapter_6.steeper(pair[1], pair[0] * 2)[0] == "no"


def test_growth_that_more_start_states_do_not_repeat_is_undecided() -> None:
    columns = ["method", "widths", "start states", "slope", "error"]
    rows = [["Gibbs", "8-20", "interweaved", -0.4, 0.1]]
    for slope, verdict in ((0.0, "not repeated"), (0.4, "not repeated"), (-0.4, "no")):
        more = [["Gibbs", "8-20", "interweaved, 200 of them", slope, 0.1]]
        found = judged.slopes(pd.DataFrame(rows + more, columns=columns))
        assert found["grows"].iloc[0] == verdict
        assert judged.slopes(found)["grows"].tolist() == found["grows"].tolist()
    other = [["Gibbs", "8-64", "interweaved, 200 of them", 0.0, 0.1]]
    assert judged.slopes(pd.DataFrame(rows + other, columns=columns))["grows"].iloc[0] == "no"
    found = judged.slopes(pd.DataFrame([*rows, [*more[0][:3], 0.0, 0.1]], columns=columns))
    said = beyond_words.slopes(found).splitlines()[0]
    assert said.endswith("growth undecided: a fall in this run that 200 of them do not repeat.")


def at_widths(count: int, **row: float) -> pd.DataFrame:
    widths = {"hidden units": [8 + 4 * i for i in range(count)]}
    return pd.DataFrame(widths).assign(run="this", method="Collapsed Gibbs", **row)


@pytest.mark.parametrize(("count", "verdict"), [(1, "met"), (6, "undecided")])
def test_targets_of_more_widths_take_wider_intervals(count: int, verdict: str) -> None:
    ends = {"ratio": 0.02, "low": 0.01, "high": 0.04}
    table = at_widths(count, **ends, **{"seconds, of Gibbs's": 1.0})
    found = judged.gains(table)
    assert found["target"].tolist() == [verdict] * count
    errors = np.log(2) / 1.6449 * norm.isf(0.025 / count)
    assert found["high, at once"].tolist() == pytest.approx([0.02 * np.exp(errors)] * count)
    assert found["low, at once"].tolist() == pytest.approx([0.02 / np.exp(errors)] * count)
    growth = {"ratio": 1.0, "low": 0.8, "high": 1.22, "at 50": 0.1, "at 2000": 0.1}
    g = {"as": "A", "g over Gibbs's": 0.8, "its low": 0.7, "its high": 0.95}
    flat = judged.rejection_growth(at_widths(count, **growth, **g).assign(sampler="A, tethered"))
    assert flat["flat"].tolist() == [verdict] * count
    assert flat["no worse"].tolist() == ["yes" if count == 1 else "undecided"] * count
    pairs = {"ratio of": "B / A", "ratio": 0.8, "low": 0.68, "high": 0.95}
    said = words.pairs({"pairwise_ratios": beside.pairwise_ratios(at_widths(count, **pairs))})
    assert said.startswith("- B / A: by 12 draws below 1 " + ("at" if count == 1 else "now"))
