"""Rules of a verdict: they can say yes, no and undecided; the answer comes first."""

import numpy as np
import pytest
from pymc_bnn.samplers.diagnosis.findings import Finding
from pymc_bnn.studies.comparison.verdict import Standing, Verdict, advise_on_pareto_k, state_verdict
from pymc_bnn.studies.scores.paired_scores import critical, difference
from scipy.stats import norm


def scores(gap: float, se: float, cases: int, seed: int = 1) -> np.ndarray:
    """Scores whose sum lies a gap behind that of zeros, with a given standard error."""
    noise = np.random.default_rng(seed).normal(size=cases)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    return -gap / cases + se / np.sqrt(cases) * noise


def model(name: str, gap: float = 0.0, se: float = 0.0, cases: int = 200, **other) -> Standing:
    held_out = other.pop("held_out", None)
    if held_out is not None:
        held_out = scores(*held_out, seed=2)
    return Standing(name, scores(gap, se, cases), **{"mcse": 0.1, **other}, held_out=held_out)


def verdict(*standings: Standing) -> Verdict:
    return state_verdict(standings)


@pytest.mark.parametrize(
    ("gap", "se", "clear"),
    [
        (10.0, 4.0, True),
        (10.0, 6.0, False),  # less than two standard errors
        (3.9, 0.1, False),  # too small to matter
        (10.0, 0.5, True),
    ],
)
def test_a_difference_counts_when_it_is_large_and_certain(
    gap: float, se: float, clear: bool
) -> None:
    said = verdict(model("a"), model("b", gap, se))
    assert said.best == ("a" if clear else None)
    assert str(said).startswith("a predicts best: b is worse by" if clear else "Undecided: none")
    assert f"{gap:.1f} ± " in str(said)


def test_the_order_of_the_models_does_not_matter() -> None:
    models = [model("b", 10, 4), model("c", 50, 4), model("a")]
    assert verdict(*models) == verdict(*models[::-1])


def test_models_too_close_to_call_are_named() -> None:
    said = verdict(model("a"), model("b", 1, 1), model("c", 30, 5))
    assert said.best is None
    assert said.sentences[0] == (
        "Undecided between a and b (b lies 1.0 ± 1.0 behind a in expected log predictive density); "
        "c is clearly worse than a."
    )


@pytest.mark.parametrize("cases", [8, 99])
def test_few_cases_decide_nothing(cases: int) -> None:
    said = verdict(model("a", cases=cases), model("b", 50, 4, cases=cases))
    assert said.best is None
    assert said.sentences[0].startswith("Undecided")
    assert said.sentences[0].endswith(f", as {cases} cases are too few.")
    assert said.sentences[1].startswith(f"Leave-one-out cannot decide with {cases} cases")
    assert "collect more, or judge by held-out cases" in said.sentences[1]
    assert verdict(model("a", cases=100), model("b", 50, 4, cases=100)).best == "a"


FAULT = "chains disagree on f. Run longer."


def test_a_loser_that_has_not_converged_does_not_lose() -> None:
    said = verdict(model("a"), model("b", 50, 4, fault=FAULT), model("c", 30, 4))
    assert said.sentences[0].startswith(
        "a predicts best among the 2 of 3 models that can be judged: c is worse by 30.0"
    )
    assert said.sentences[1] == "b cannot be judged: chains disagree on f. Run longer."
    assert said.best == "a"
    open_still = verdict(model("a"), model("b", 50, 4, fault=FAULT), model("c", 1, 1))
    assert open_still.sentences[0].startswith(
        "Undecided among the 2 of 3 models that can be judged: none is clearly worse than a"
    )
    between = verdict(model("a"), model("b", fault=FAULT), model("c", 1, 1), model("d", 30, 4))
    assert between.sentences[0].endswith(
        "; d is clearly worse than a, among the 3 of 4 models that can be judged."
    )


def test_a_winner_that_has_not_converged_does_not_win() -> None:
    said = verdict(model("a", fault=FAULT), model("b", 50, 4), model("c", 80, 4))
    assert said.sentences[1].startswith("a cannot be judged: ")
    assert said.best == "b"
    alone = verdict(model("a", fault=FAULT), model("b", 50, 4))
    assert alone.best is None
    assert alone.sentences[0] == "Of 2 models b alone can be judged, and is compared with none."


def test_nothing_is_said_of_models_that_cannot_be_judged() -> None:
    said = verdict(model("a", fault=FAULT), model("b", 50, 4, fault=FAULT))
    assert said.sentences == (
        "None of 2 models can be judged.",
        "a and b cannot be judged: chains disagree on f. Run longer.",
    )


def test_scores_that_are_no_numbers_cannot_be_judged() -> None:
    broken = scores(0, 1, 200)
    broken[3] = np.nan
    said = verdict(model("a"), Standing("b", broken), model("c", 50, 4))
    assert said.sentences[1].startswith(
        "b cannot be judged: leave-one-out is not finite for 1 of 200 cases. Look for"
    )
    assert said.best == "a"


def test_a_leader_for_which_leave_one_out_fails_does_not_win() -> None:
    """Cases of a large Pareto k flatter a model: who is behind in spite of them loses."""
    said = verdict(model("a", bad_k=3), model("b", 50, 4))
    assert said.best is None
    assert said.sentences[0].endswith("), as leave-one-out fails for cases of a.")
    near = verdict(model("a", bad_k=3), model("b", 1, 4))
    assert near.sentences[0].endswith("expected log predictive density).")
    assert said.sentences[1] == (
        "Leave-one-out fails for 3 of 200 cases of a, which flatters: repair it with moment "
        "matching, then with exact refits, then with more draws."
    )
    assert verdict(model("a"), model("b", 50, 4, bad_k=3)).best == "a"


SLOW = Finding("R-hat", "warning", 1.02, 1.01, "", "Chains disagree.", "Run longer; or else.")


def test_draws_with_warnings_are_named_next() -> None:
    said = verdict(model("a"), model("b", 50, 4, warnings=(SLOW,)))
    assert said.sentences[1] == "Draws of b are less exact than they should be (R-hat). Run longer."
    assert said.best == "a"


def test_monte_carlo_error_counts() -> None:
    assert verdict(model("a"), model("b", 10, 4)).best == "a"
    noisy = verdict(model("a", mcse=3.0), model("b", 10, 4, mcse=3.0))
    assert noisy.best is None
    assert "b lies 10.0 ± 5.8 behind in" in str(noisy)
    assert "The Monte Carlo error of each score is 3 or less, and counted in." in noisy.sentences
    unknown = verdict(model("a"), model("b", 50, 4, mcse=np.nan))
    assert "The Monte Carlo error of some of these scores is unknown." in unknown.sentences


def test_the_best_of_several_needs_more() -> None:
    """2.3 standard errors are clear between two models, and not to the best of six."""
    assert verdict(model("a"), model("b", 23, 10)).best == "a"
    others = [model(name, 23, 10) for name in "bcdef"]
    said = verdict(model("a"), *others)
    assert said.best is None
    assert "a leads as the best of 6 by the same scores" in str(said)
    assert "count from 2.6 standard errors on" in str(said)


def test_choosing_the_best_of_equals_is_rarely_a_verdict() -> None:
    """Of six equally good models any may lead by chance; false alarms stay below their bound."""
    rng = np.random.default_rng(3)
    called = 0
    runs = 400
    for _ in range(runs):
        common = rng.normal(size=200)
        models = [Standing(n, common + rng.normal(size=200), mcse=0.0) for n in "abcdef"]
        called += state_verdict(models).best is not None
    # to call one best all five others have to be worse by 2.6 standard errors
    assert called <= 0.025 * runs


def test_critical_values_are_those_of_bonferroni() -> None:
    for models in (2, 3, 6):
        chance = norm.sf(critical(models)) * (models - 1)
        assert chance == pytest.approx(0.025)
    assert critical(2, 10) > critical(2, 1000) > critical(2)


def test_differences_are_paired() -> None:
    common = np.random.default_rng(1).normal(scale=100.0, size=50)
    gap = difference(common + 1.0 + 0.1 * np.arange(50) % 2, common)
    assert gap.se < 0.2
    assert gap.mean == pytest.approx(1.0, abs=2.0)
    assert difference(np.array([1.0]), np.array([0.0])).se == np.inf


def held(mean: float, se: float, cases: int = 98) -> tuple[float, float, int]:
    """Held-out scores that lie a mean behind those of zeros."""
    return mean * cases, se * cases, cases


ZERO = (0.0, 0.0, 98)


def test_held_out_cases_agree() -> None:
    said = verdict(model("a", held_out=ZERO), model("b", 25.3, 7.6, held_out=held(0.09, 0.03)))
    assert said.best == "a"
    assert said.sentences[-1] == (
        "The 98 held-out cases agree that a is better than b (+0.090 ± 0.030) "
        "(log score of a less theirs, per case)."
    )


def test_what_other_draws_may_change_keeps_held_out_cases_from_deciding() -> None:
    # 98 cases: errors of 2 and 4 nats in the sums are 0.046 per case together, and 0.055 with 0.03
    models = [
        model("a", held_out=ZERO, held_out_mcse=2.0),
        model("b", 25.3, 7.6, held_out=held(0.09, 0.03), held_out_mcse=4.0),
    ]
    said = verdict(*models)
    assert "cases do not decide about b (+0.090 ± 0.055)" in said.sentences[-1]
    against = model("b", 25.3, 7.6, held_out=held(-0.10, 0.03), held_out_mcse=30.0)
    assert verdict(models[0], against).best == "a"


def test_held_out_cases_do_not_decide() -> None:
    said = verdict(model("a", held_out=ZERO), model("b", 25.3, 7.6, held_out=held(-0.01, 0.1)))
    assert said.best == "a"
    assert "do not decide about b (-0.010 ± 0.100)" in said.sentences[-1]


def test_held_out_cases_that_contradict_leave_the_models_undecided() -> None:
    said = verdict(model("a", held_out=ZERO), model("b", 25.3, 7.6, held_out=held(-0.10, 0.03)))
    assert said.best is None
    assert said.sentences[0].startswith("Undecided: none is clearly worse than a (b lies")
    assert said.sentences[0].endswith("), which held-out cases contradict.")
    assert "The 98 held-out cases contradict leave-one-out about b (-0.100" in said.sentences[-1]


def test_held_out_cases_say_that_another_is_better_where_leave_one_out_is_unsure() -> None:
    other = model("b", 10.0, 28.3, held_out=held(-0.2, 0.05))
    said = verdict(model("a", held_out=ZERO), other)
    assert said.sentences[0].startswith("Undecided: none is clearly worse than a (b lies 10.0")
    assert said.sentences[-1] == (
        "The 98 held-out cases say that b (-0.200 ± 0.050) is better than a "
        "(log score of a less theirs, per case)."
    )
    third = model("c", 11.0, 28.3, held_out=held(-0.19, 0.05))
    said = verdict(model("a", held_out=ZERO), other, third)
    assert "b (-0.200 ± 0.050) and c (-0.190 ± 0.050) are better than a" in said.sentences[-1]


def test_few_held_out_cases_say_nothing() -> None:
    said = verdict(
        model("a", held_out=(0.0, 0.0, 29)), model("b", 25.3, 7.6, held_out=held(-9.0, 0.1, 29))
    )
    assert said.best == "a"
    assert said.sentences[-1].startswith("29 held-out cases are too few to agree")


def test_a_single_model_has_no_rival() -> None:
    assert verdict(model("a")).sentences == (
        "There is only one model, so there is nothing to compare it with.",
    )
    broken = verdict(model("a", fault=FAULT))
    assert broken.sentences[0].startswith("a cannot be judged")
    assert broken.best is None


@pytest.mark.parametrize(
    ("bad", "advice"),
    [
        (0, "leave-one-out is reliable"),
        (10, "10 of 100 cases: use moment matching, then exact refits, then more draws"),
        (11, "11 of 100 cases: use K-fold cross-validation or the held-out scores"),
    ],
)
def test_advice_depends_on_how_many_cases_are_bad(bad: int, advice: str) -> None:
    assert advise_on_pareto_k(bad, 100) == advice


def test_halves_that_were_looked_at_are_counted_where_they_are_not_all() -> None:
    scores = np.zeros(5)
    some = Standing("some", scores, fault="R-hat is 1.3.", stable=True, drawn=35)
    every = Standing("every", scores, fault="R-hat is 1.3.", stable=True)
    _, _, first, second = state_verdict([some, every]).sentences
    assert first.startswith("Predictions of some are stable")
    assert first.endswith("each of 35 halves that were drawn of the chains gives the same ones.")
    assert second.endswith("any half of the chains gives the same ones.")
