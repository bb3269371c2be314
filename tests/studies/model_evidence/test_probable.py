"""Model probabilities and what they are worth: yes, no, undecided and cannot be judged."""

import numpy as np
import pytest
from pymc_bnn.samplers import Evidence
from pymc_bnn.studies.comparison.verdict import Verdict
from pymc_bnn.studies.model_evidence.columns import evidence_columns
from pymc_bnn.studies.model_evidence.conclusions import WIDTH, state_probable
from pymc_bnn.studies.model_evidence.measured import Measured
from pymc_bnn.studies.model_evidence.probabilities import BLOCKS, model_probabilities
from scipy.special import expit
from scipy.stats import t


def found(value: float, error: float = 0.1, *cautions: str) -> Measured:
    return Measured(Evidence(value, error, "mbar", (), cautions))


BOTH = frozenset("ab")


def said(predictive: Verdict | None = None, **models: Measured) -> Verdict:
    return state_probable(models, predictive or Verdict(()))


def test_probabilities_are_shares_of_the_evidence() -> None:
    probable = model_probabilities(np.log([1.0, 3.0, 4.0]) - 5000.0, [0.0] * 3)
    np.testing.assert_allclose(probable, np.array([[1, 3, 4]] * 3).T / 8, rtol=1e-9)


def test_intervals_are_those_of_the_errors() -> None:
    # with one error, the interval is a function of the quantiles of Student's t
    first, second = model_probabilities([-100.0, -101.0], [0.5, 0.0])
    tail = 0.5 * t.isf(0.025, BLOCKS - 1)
    np.testing.assert_allclose([first.low, first.high], expit([1 - tail, 1 + tail]), atol=0.01)
    np.testing.assert_allclose([second.low, second.high], [1 - first.high, 1 - first.low])
    assert first == model_probabilities([-100.0, -101.0], [0.5, 0.0])[0]


@pytest.mark.parametrize(
    ("gap", "error", "start"),
    [
        (4.0, 0.5, "By the evidence a is the most probable model: log evidence is smaller for b"),
        (3.1, 0.1, "By the evidence a is the most probable model"),
        (2.9, 0.5, "By the evidence it is undecided whether a is more probable than b"),
        (4.0, 2.0, "By the evidence it is undecided"),  # large, and not certain
        (2.9, 0.01, "The evidence does not tell a from b"),  # certain, and below 20 to 1
        (0.5, 0.5, "The evidence does not tell a from b"),
        (0.0, 0.1, "The evidence does not tell"),
    ],
)
def test_yes_no_and_undecided(gap: float, error: float, start: str) -> None:
    verdict = said(a=found(-50.0, error), b=found(-50.0 - gap, error))
    assert verdict.sentences[0].startswith(start)
    assert verdict.best == ("a" if "most probable" in start else None)
    assert f"b by {gap:.1f} ± " in verdict.sentences[0]
    assert verdict.sentences[-1] == WIDTH


def test_each_model_has_its_own_case() -> None:
    models = {"a": found(0.0), "b": found(-1.0), "c": found(-4.0, 2.0), "d": found(-40.0)}
    verdict = said(**models)
    assert verdict == said(**dict(reversed(models.items())))
    assert verdict.best is None
    assert verdict.leader == "a"
    assert verdict.worse == ("d",)
    text = str(verdict)
    assert "does not tell a from b" in text
    assert "undecided whether a is more probable than c" in text
    assert "a is more probable than others: log evidence is smaller for d by 40.0" in text


@pytest.mark.parametrize(
    "bad",
    [
        found(-10.0, 0.1, "Chains disagree."),
        Measured(failure="Chains disagree."),
        found(-10.0, np.inf),
    ],
)
def test_what_cannot_be_judged_neither_wins_nor_loses(bad: Measured) -> None:
    verdict = said(a=found(-50.0), b=bad, c=found(-60.0))
    reason = bad.obstacle or "its error is unknown."
    assert verdict.sentences[0].startswith(
        "By the evidence a is the most probable model among the 2 of 3 that can be judged by it: "
    )
    assert verdict.sentences[1:3] == (
        "Of 3 models 2 have evidence that can be judged.",
        f"The evidence of b cannot be judged: {reason}",
    )
    assert verdict.best == "a"
    assert verdict.worse == ("c",)
    columns = evidence_columns({"a": found(-50.0), "b": bad, "c": found(-50.0)})
    assert columns["a"]["probability"] == 0.5
    assert np.isnan(columns["b"]["probability"])
    np.testing.assert_equal(columns["b"]["log_evidence"], bad.log_evidence)


def test_one_that_is_left_has_nothing_to_be_compared_with() -> None:
    verdict = said(a=found(-50.0), b=Measured(failure="so."))
    assert verdict.best is None
    assert "Fewer than two models" in verdict.sentences[0]
    columns = evidence_columns({"a": found(-50.0), "b": None})
    assert np.isnan(columns["a"]["probability"])
    assert "b" not in columns


@pytest.mark.parametrize(
    ("predictive", "start"),
    [
        (
            Verdict((), "b", "b", ("a",), BOTH),
            "Leave-one-out disagrees: by it b predicts",
        ),
        (
            Verdict((), None, "b", (), BOTH),
            "By leave-one-out b is in front of a; that the two contradict",
        ),
        (Verdict((), "a", "a", ("b",), BOTH), "a is in front by leave-one-out, too."),
        (Verdict(()), WIDTH),
    ],
)
def test_leave_one_out_beside(predictive: Verdict, start: str) -> None:
    verdict = said(predictive, a=found(-50.0), b=found(-60.0))
    assert verdict.sentences[1].startswith(start)


@pytest.mark.parametrize(
    ("predictive", "z"),
    [
        (Verdict((), None, "z", (), frozenset("zab")), Measured(failure="none.")),
        (Verdict((), None, "b", (), frozenset("bz")), found(-90.0)),  # a cannot be judged by scores
    ],
    ids=["its leader has no evidence", "the most probable has no scores"],
)
def test_leave_one_out_is_not_beside_what_only_one_of_both_judges(
    predictive: Verdict, z: Measured
) -> None:
    verdict = said(predictive, a=found(-50.0), b=found(-60.0), z=z)
    assert verdict.sentences[0].startswith("By the evidence a is the most probable model")
    assert not any("leave-one-out" in sentence for sentence in verdict.sentences[1:-1])


def test_no_clear_evidence_is_no_contradiction() -> None:
    verdict = said(Verdict((), "b", "b", ("a",), BOTH), a=found(-50.0), b=found(-51.0))
    assert "disagrees" not in str(verdict)
    assert "not clear by both" in str(verdict)
