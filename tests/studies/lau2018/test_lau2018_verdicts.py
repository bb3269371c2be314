"""Rules that judge the claims of Lau's thesis: each can stand, fail and be undecided."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from pymc_bnn.studies.lau2018.numbers.estimates import Compared
from pymc_bnn.studies.lau2018.rules import judgements, mixing, patterns
from pymc_bnn.studies.lau2018.rules.judgements import Found
from pymc_bnn.studies.lau2018.rules.mixing import Run
from pymc_bnn.studies.reproduction.estimates import Estimate, summed
from pymc_bnn.studies.reproduction.verdicts import Verdict, together
from scipy.stats import t as student

STANDS, FAILS, UNDECIDED = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED


def gap(value: float, error: float, theirs: float | None = None) -> Compared:
    return Compared(Estimate(value, error), None if theirs is None else Estimate(theirs, 2.8))


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([STANDS, STANDS], STANDS),
        ([STANDS, UNDECIDED, FAILS], FAILS),
        ([STANDS, UNDECIDED], UNDECIDED),
        ([], UNDECIDED),
    ],
)
def test_a_claim_on_several_rows_needs_all_and_is_refuted_by_one(
    verdicts: list[Verdict], expected: Verdict
) -> None:
    assert together(verdicts) is expected


def test_few_chains_widen_the_interval() -> None:
    found = summed(0.0, [(1.0, 3.0), (1.0, 3.0)], paired=True)
    assert found.freedom == pytest.approx(6.0)
    assert found.interval(4)[1] == pytest.approx(student.isf(0.025 / 4, 6) * np.sqrt(2))
    assert summed(0.0, [(1.0, 3.0), (np.nan, 2.0)], paired=True).freedom == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": gap(0.5, 0.3), "b": gap(-0.5, 0.3)}, STANDS),
        ({"a": gap(1.0, 0.3)}, STANDS),  # clearly not zero, and clearly small
        ({"a": gap(0.5, 0.3), "b": gap(0.8, 1.2)}, UNDECIDED),  # not significant shows nothing
        ({"a": gap(2.4, 1.0)}, UNDECIDED),
        ({"a": gap(6.0, 1.0)}, FAILS),
        ({"a": gap(0.5, 0.3), "b": gap(-6.0, 1.0)}, FAILS),
        ({"a": gap(np.nan, np.nan)}, UNDECIDED),
        ({}, UNDECIDED),
    ],
)
def test_equal_errors_need_an_interval_inside_the_margin(found: Found, expected: Verdict) -> None:
    assert judgements.equal(found) is expected
    assert judgements.differ(found) is expected.turned()


def test_the_best_of_many_needs_a_wider_interval() -> None:
    found = {"a": gap(0.2, 0.8)}
    assert judgements.equal(found) is STANDS
    assert judgements.equal(found, among=16) is UNDECIDED


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": gap(10.0, 1.0)}, STANDS),
        ({"a": gap(10.0, 1.0), "b": gap(0.5, 1.0)}, UNDECIDED),
        ({"a": gap(10.0, 1.0), "b": gap(-10.0, 1.0)}, FAILS),
        ({}, UNDECIDED),
    ],
)
def test_more_errors_need_intervals_above_zero(found: Found, expected: Verdict) -> None:
    assert judgements.more(found) is expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (gap(35.0, 2.0, 33.0), STANDS),
        (gap(60.0, 2.0, 33.0), STANDS),  # more than it says is as much as it says
        (gap(2.2, 0.9, 47.6), FAILS),  # the sign is right, the size is not
        (gap(-0.4, 1.2, 33.4), FAILS),
        (gap(-9.0, 1.0, 0.6), FAILS),
        (gap(0.4, 1.2, 3.4), UNDECIDED),
        (gap(-35.0, 2.0, -33.0), STANDS),
        (gap(1.0, 1.0, -33.0), FAILS),
        (gap(5.0, 1.0), UNDECIDED),  # the thesis has none
    ],
)
def test_differences_are_judged_by_their_size(found: Compared, expected: Verdict) -> None:
    assert judgements.as_large(found) is expected
    assert judgements.all_as_large({"a": found}) is expected


def test_the_four_sizes_of_the_thesis_are_refuted() -> None:
    for value, error, theirs in ((-0.4, 1.2, 33), (1.4, 1.0, 41), (2.2, 0.9, 48), (0.4, 1.9, 18)):
        found = {"row": gap(value, error, float(theirs))}
        assert judgements.all_as_large(found) is FAILS
        assert judgements.says_size(found) == f"The thesis has row: +{theirs}.0, refuted"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"a": gap(-5.0, 1.0), "b": gap(5.0, 1.0)}, STANDS),
        ({"a": gap(5.0, 1.0), "b": gap(6.0, 1.0)}, FAILS),
        ({"a": gap(5.0, 1.0), "b": gap(0.4, 1.0)}, UNDECIDED),
        ({}, UNDECIDED),
    ],
)
def test_a_choice_is_not_best_where_another_is_better(found: Found, expected: Verdict) -> None:
    assert judgements.not_best(found) is expected


def run(ess: float, chains: int = 4, draws: int = 60) -> Run:
    return Run(ess, chains, draws)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(run(245), run(208)), (run(150), run(208))], STANDS),
        ([(run(24), run(208))], FAILS),
        ([(run(208), run(24))], FAILS),
        ([(run(91), run(208))], UNDECIDED),  # neither clearly within a factor of two nor beyond
        ([(run(6), run(40))], UNDECIDED),  # neither has moved
        ([(run(208, draws=20), run(208))], UNDECIDED),
        ([(run(208, chains=2), run(208))], UNDECIDED),
        ([(run(np.nan), run(208))], UNDECIDED),
        ([], UNDECIDED),
    ],
)
def test_efficiency_is_a_ratio_of_effective_draws(
    rows: list[tuple[Run, Run]], expected: Verdict
) -> None:
    assert mixing.as_efficient(rows) is expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([(run(635), run(120)), (run(635), run(4))], STANDS),
        ([(run(150), run(120))], FAILS),
        ([(run(120), run(635))], FAILS),
        ([(run(240), run(120))], UNDECIDED),
        ([(run(9), run(6))], UNDECIDED),
        ([(run(208), run(4, chains=2, draws=20))], UNDECIDED),  # lengths differ: still to be run
    ],
)
def test_much_more_efficient_is_more_than_twice(
    rows: list[tuple[Run, Run]], expected: Verdict
) -> None:
    assert mixing.more_efficient(rows) is expected


ESS = {
    "gibbs-fixed-step": 4.9,
    "gibbs-curvature": 5.0,
    "gibbs-interweaved": 288.0,
    "joint-noncentered": 775.0,
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, STANDS),
        ({"gibbs-curvature": 300.0}, FAILS),
        ({"joint-noncentered": 5.0}, FAILS),
        ({"gibbs-curvature": 90.0}, UNDECIDED),
        ({"joint-noncentered": np.nan}, UNDECIDED),
    ],
)
def test_plain_gibbs_sampling_is_judged_by_the_variance(
    changed: dict[str, float], expected: Verdict
) -> None:
    assert mixing.gibbs_fails(ESS | changed) is expected
    assert mixing.gibbs_fails({}) is UNDECIDED


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, "What fails is plain Gibbs sampling, with either kind of steps; interweaving mends"),
        ({"gibbs-interweaved": 7.0}, "kind of steps; interweaving does not mend it."),
        ({"gibbs-interweaved": 90.0}, "whether interweaving mends it is undecided."),
        ({"gibbs-curvature": 300.0}, "What fails is the fixed step, not Gibbs sampling."),
        ({"gibbs-curvature": 90.0}, "cannot be told"),
        ({"gibbs-fixed-step": 300.0}, "The fixed step moves the variance."),
    ],
)
def test_what_failed_follows_from_the_variance(changed: dict[str, float], expected: str) -> None:
    assert expected in mixing.cause(ESS | changed)


def numbers(error: float = 1.0, **values: float) -> dict[str, Estimate]:
    return {name: Estimate(value, error) for name, value in values.items()}


@pytest.mark.parametrize(
    ("ours", "expected", "said"),
    [
        (numbers(a=15.0, b=40.0, c=90.0), STANDS, "Of 3 pairs that differ clearly in both, 0 have"),
        (numbers(a=90.0, b=60.0, c=11.0), FAILS, "the pattern is the reverse"),
        (numbers(a=60.0, b=40.0, c=90.0), FAILS, "1 have the other order"),
        (numbers(a=15.0, b=15.5, c=16.0), UNDECIDED, "No two of them"),
    ],
)
def test_orders_are_compared_by_pairs_that_differ_clearly(
    ours: dict[str, Estimate], expected: Verdict, said: str
) -> None:
    theirs = numbers(a=14.8, b=44.4, c=84.2)
    assert patterns.same_order(theirs, ours) is expected
    written = patterns.says_order(theirs, ours)
    assert said in written
    assert ("reverse" in written) == (said == "the pattern is the reverse")


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ({"a": 24.0, "b": 27.0}, STANDS),
        ({"a": 24.0, "b": 49.8}, FAILS),
        ({"a": 24.0, "b": 16.0}, FAILS),
        ({"a": 24.0, "c": 17.0}, UNDECIDED),  # either quantity would do
        ({}, UNDECIDED),
    ],
)
def test_an_explanation_fits_every_row_where_the_other_does_not(
    printed: dict[str, float], expected: Verdict
) -> None:
    drawn = numbers(2.0, a=25.0, b=28.0, c=20.0)
    likeliest = numbers(1.3, a=9.0, b=9.0, c=18.0)
    assert patterns.explains(printed, drawn, likeliest) is expected


def test_an_explanation_is_judged_by_the_intervals_of_all_rows() -> None:
    drawn, likeliest = numbers(2.0, a=25.0), numbers(1.3, a=9.0)
    assert patterns.explains({"a": 30.0}, drawn, likeliest) is FAILS
    assert patterns.explains({"a": 30.0}, drawn, likeliest, among=10) is STANDS


def test_words_show_the_interval_that_is_judged() -> None:
    found = {"a": gap(0.8, 0.9), "b": Compared(replace(Estimate(6.4, 2.1), paired=False))}
    low, high = Estimate(0.8, 0.9).interval(2)
    said = judgements.says(found)
    assert said.startswith(f"a: +0.8 ± 0.9 ({low:+.1f} to {high:+.1f}) points; b: +6.4")
    assert said.endswith("points, unpaired")


RULES: tuple[Callable[[Found], Verdict], ...] = (
    judgements.equal,
    judgements.more,
    judgements.all_as_large,
    judgements.not_best,
)


@pytest.mark.parametrize("rule", RULES)
def test_a_wider_interval_never_decides(rule: Callable[[Found], Verdict]) -> None:
    """No verdict is stronger than the interval: an error without end leaves all undecided."""
    rng = np.random.default_rng(13)
    for value in rng.normal(scale=20.0, size=50):
        found = {"a": gap(float(value), 1e6, theirs=10.0)}
        assert rule(found) is UNDECIDED
