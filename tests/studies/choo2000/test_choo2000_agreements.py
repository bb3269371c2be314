"""Whether numbers agree with the thesis's: every verdict, and how often equal ones differ."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.choo2000.words import beyond_words
from pymc_bnn.studies.choo2000.words import table_words as words
from pymc_bnn.studies.choo2000.words.agreements import agreement
from pymc_bnn.studies.choo2000.words.differences import FACTORS, Kind, together

MANY = 400  # lines on equal numbers


@pytest.mark.parametrize(
    ("differences", "errors", "groups", "verdict"),
    [
        ([0.01, -0.01], [0.01, 0.01], None, "agrees within 25%: 0 of 2"),
        ([0.0002, 0.01], [0.001, 0.2], None, "undecided at 25%: 0 of 2"),  # of one of them
        ([0.24, -0.24], [0.2, 0.2], None, "undecided at 25%: 0 of 2"),  # though the mean is 0
        ([0.3], [0.1], None, "differs: by +30.0%"),
        ([0.1], [0.1], None, "undecided at 25%: by +10.0%"),  # too wide to exclude a quarter
        ([6.0, *[0.5] * 39], [1.0] * 40, None, "differs: 1 of 40"),  # too large a one
        ([2.5, -2.5, 0.1], [1.0] * 3, None, "differs: 2 of 3"),  # too many
        ([0.015] * 8, [0.01] * 8, None, "differs: 0 of 8"),  # a common sign
        ([0.015] * 8, [0.01] * 8, ["one"] * 8, "undecided at 25%: 0 of 8"),  # of one number?
        ([0.015] * 8, [0.01] * 8, [1, 1, 2, 2, 3, 3, 4, 4], "differs: 0 of 8"),
        ([0.021, -0.021, 0, 0], [0.01] * 4, ["one"] * 4, "undecided"),  # many, if independent
        ([2.2], [1.0], None, "undecided"),  # beyond 5%, but three tests are made
        ([2.5, 0.1, -0.1, 0.1], [1.0] * 4, None, "undecided at 25%: 1 of 4"),  # also the largest
        ([2.9, 0.1, -0.1, 0.1], [1.0] * 4, None, "differs: 1 of 4"),
        ([0.0105] * 4, [0.01] * 4, None, "undecided"),  # a common sign, beyond 5% alone
        ([0.0125] * 4, [0.01] * 4, None, "differs: 0 of 4"),
        ([np.nan], [1.0], None, "no results to compare yet"),
        ([1.0], [0.0], None, "no results to compare yet"),
    ],
)
def test_numbers_agree_differ_or_leave_it_open(
    differences: list[float], errors: list[float], groups: list | None, verdict: str
) -> None:
    assert agreement(differences, errors, groups).startswith(verdict)


def test_agreement_of_equal_numbers_is_seldom_denied() -> None:
    rng = np.random.default_rng(8)
    said = [agreement(0.02 * rng.normal(size=20), np.full(20, 0.02)) for _ in range(400)]
    # three tests with a third of 5% each; the bound has a false alarm below 1 in 1000
    assert sum(text.startswith("differs") for text in said) < 400 * 0.05 + 3.3 * 4.4
    assert sum(text.startswith("agrees") for text in said) > 400 / 2


def test_rows_of_a_group_may_be_one_number() -> None:
    both = together([1.0, 1.0, 3.0], [1.0, 1.0, 1.0], ["a", "a", "b"])
    assert both.value == pytest.approx(5 / 3)
    assert both.apart == pytest.approx(3**0.5 / 3)
    assert both.alike == pytest.approx(5**0.5 / 3)


def test_student_allows_more_than_the_normal_distribution() -> None:
    differences, errors = [2.6, 0.1, -0.1], [1.0, 1.0, 1.0]
    assert agreement([2.5], [1.0]).startswith("differs")
    assert agreement([2.5], [1.0], kind=Kind(degrees=25)).startswith("undecided")
    assert agreement([3.5], [1.0], kind=Kind(degrees=25)).startswith("differs")
    assert agreement(differences, errors, kind=Kind(margin=9)).startswith("undecided")
    assert agreement([1.0], [1.0], kind=Kind(9, 25)).startswith("agrees within 900%")


@pytest.mark.parametrize(
    ("logs", "errors", "said"),
    [
        ([1.0], [0.2], "differs: 2.72 (1.82 to 4.06) times, z = 5.0"),
        ([0.01], [0.1], "agrees within a factor of 1.25: 1.01 (0.83 to 1.23) times, z = 0.1"),
        ([-0.1], [0.1], "undecided at a factor of 1.25: 0.90 (0.74 to 1.11) times, z = -1.0"),
        ([0.1, 0.1], [0.02, 0.02], "differs: 2 of 2 beyond"),
    ],
)
def test_logarithms_are_told_as_factors(logs: list, errors: list, said: str) -> None:
    assert agreement(logs, errors, kind=FACTORS).startswith(said)


def test_the_larger_error_decides_to_differ_and_both_to_agree() -> None:
    assert agreement([0.4], [0.2], least=[0.1]).startswith("undecided")
    assert agreement([0.4], [0.1], least=[0.1]).startswith("differs")
    assert agreement([0.04], [0.1], least=[0.01]).startswith("undecided")
    assert agreement([0.04], [0.1], least=[0.1]).startswith("agrees")
    assert agreement([0.04], [0.2], least=[0.1]).startswith("undecided")
    assert agreement([0.4, 0.2], [0.4, 0.2], least=[0.2, 0.1]).endswith("z = 1.4 to 2.8")


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (0.0, "agrees within 25%: "),
        (0.014, "agrees within 25%: "),
        (0.017, "undecided at 25%, though B differs by itself: "),
        (0.020, "differs, as B differs by itself: "),
    ],
)
def test_all_parts_agree_only_if_each_does(second: float, said: str) -> None:
    """Those of A have no difference, and take what B differs by to the middle."""
    d, e = [0.001, -0.001] * 4 + [second, second], [0.01] * 10
    parts, groups = ["A"] * 8 + ["B"] * 2, [8, 12, 16, 20, 24, 28, 32, 64, 8, 12]
    assert agreement(d, e, groups, parts=parts).startswith(said)
    alone = agreement(d, e, groups)
    assert not alone.startswith("differs")


def equal_lines(rng: np.random.Generator, tails: float) -> list[str]:
    """Lines on g of equal chains at four widths, both with errors by a bootstrap, as the page's."""
    counts = rng.multinomial(40, np.full(40, 1 / 40), 400) / 40
    means = rng.normal(size=(2, 4, MANY, 40, 4)) / np.sqrt(
        rng.chisquare(tails, size=(2, 4, MANY, 40, 4)) / tails
    )
    squares = means**2
    g = np.log(squares.mean(axis=-2)).mean(axis=-1)
    low, high = np.empty((2, *g.shape))
    for place in np.ndindex(g.shape):
        found = np.log(counts @ squares[place]).mean(axis=-1)
        low[place], high[place] = np.quantile(found, [0.05, 0.95])
    errors = np.linalg.norm((high - low) / 2 / 1.6449, axis=0)
    return [agreement(*line, kind=FACTORS) for line in zip((g[0] - g[1]).T, errors.T, strict=True)]


@pytest.mark.parametrize("tails", [5, 1000])
def test_equal_chains_seldom_differ_by_errors_of_a_bootstrap(tails: float) -> None:
    said = equal_lines(np.random.default_rng(8), tails)
    # 5% at most; the bound has a false alarm below 1 in 1000
    assert sum(line.startswith("differs") for line in said) < MANY * 0.05 + 3.3 * 4.4


def performances(ratio: float, errors: tuple[float, float]) -> pd.DataFrame:
    """Performances of two methods: the thesis's, and so many times those."""
    z = np.log([1.01, ratio]) / errors
    table = {"method": np.repeat(["A", "B"], 4), "hidden units": [8, 12, 16, 20] * 2}
    table |= {"g": np.repeat([1.01, ratio], 4), "thesis recomputed": 1.0, "z": np.repeat(z, 4)}
    return pd.DataFrame(table | {"z, at least": np.repeat(z, 4) / 1.1})


@pytest.mark.parametrize(
    ("ratio", "errors", "answers"),
    [
        (1.02, (0.05, 0.05), ("agrees", "agrees", "agrees")),
        (1.02, (0.05, 0.2), ("agrees", "undecided", "undecided")),
        (1.5, (0.05, 0.1), ("agrees", "differs", "differs, as B")),
    ],
)
def test_g_of_all_methods_follows_that_of_each(
    ratio: float, errors: tuple[float, float], answers: tuple[str, ...]
) -> None:
    said = words.geometric_means(performances(ratio, errors)).splitlines()
    assert len(said) == 3
    for line, answer in zip(said, answers, strict=True):
        assert line.split(": ", 1)[1].startswith(answer)


@pytest.mark.parametrize(
    ("ratio", "z", "verdict"),
    [(1.02, 0.4, "agrees"), (1.02, 0.05, "undecided"), (3.0, 5.0, "differs")],
)
def test_start_states_have_every_verdict(ratio: float, z: float, verdict: str) -> None:
    rows = {"method": "Gibbs", "g, plain starts": [ratio] * 4, "g, interweaved starts": 1.0, "z": z}
    said = beyond_words.starts(pd.DataFrame(rows))
    assert f"- Gibbs: {verdict}" in said
