"""Scores of held-out cases against closed forms and hand computation."""

import re

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from pymc_bnn import models
from pymc_bnn.studies import calibration_error, crps, score_cases, summarize_scores
from pymc_bnn.studies.reports.report import COLUMNS
from pymc_bnn.studies.scores import evaluation
from scipy.stats import kstest, norm


def gaussian_crps(z: np.ndarray) -> np.ndarray:
    """CRPS of a standard normal (Gneiting & Raftery 2007, Eq. 20, with its sign turned)."""
    return z * (2 * norm.cdf(z) - 1) + 2 * norm.pdf(z) - 1 / np.sqrt(np.pi)


def test_crps_of_gaussian_draws_is_the_closed_form() -> None:
    observed = np.array([-3.0, -0.5, 0.0, 1.2, 4.0])
    repeats = [
        crps(np.random.default_rng(seed).standard_normal((2000, 5)), observed) for seed in range(40)
    ]
    error = np.std(repeats, axis=0, ddof=1) / np.sqrt(40)
    # pairs of a draw with itself count as a distance of 0: a bias of 1 / (samples sqrt(pi))
    bias = 1 / (2000 * np.sqrt(np.pi))
    expected = gaussian_crps(observed) + bias
    assert (np.abs(np.mean(repeats, axis=0) - expected) < 4 * error).all()


@given(
    draws=arrays(float, st.tuples(st.integers(1, 6), st.just(2)), elements=st.floats(-9, 9)),
    observed=arrays(float, (2,), elements=st.floats(-9, 9)),
)
def test_crps_is_its_definition_on_any_small_ensemble(
    draws: np.ndarray, observed: np.ndarray
) -> None:
    samples = len(draws)
    pairs = np.abs(draws[:, None] - draws[None]).sum(axis=(0, 1)) / (2 * samples**2)
    expected = np.abs(draws - observed).mean(axis=0) - pairs
    np.testing.assert_allclose(crps(draws, observed), expected, atol=1e-12)


def test_crps_of_two_draws_by_hand() -> None:
    # |0 - 3|, |2 - 3| average to 2; pairs (0, 2) and (2, 0) give 4 / (2 * 4)
    assert float(crps(np.array([0.0, 2.0]), np.array(3.0))) == 1.5


@pytest.mark.parametrize(
    ("draws", "observed"), [((9, 6, 1), (6,)), ((9, 6), ()), ((9,), (6,)), ((), ())]
)
def test_draws_and_targets_of_other_shapes_are_refused(draws: tuple, observed: tuple) -> None:
    said = re.escape(f"a draw has shape {draws[1:]} and it has shape {observed};")
    with pytest.raises(ValueError, match=f"^observed: {said}"):
        crps(np.zeros(draws), np.zeros(observed))


def test_infinite_draws_have_an_infinite_crps() -> None:
    draws = np.array([[1.0, 1.0, np.inf], [1.0, np.inf, np.inf]])
    assert crps(draws, np.full(3, 3.0)).tolist() == [2.0, np.inf, np.inf]


def test_calibration_error_is_zero_for_frequencies_as_predicted() -> None:
    probability = np.repeat([0.15, 0.55, 0.95], 20)
    hit = np.concatenate([np.arange(20) < 20 * p for p in (0.15, 0.55, 0.95)])
    assert calibration_error(probability, hit) == pytest.approx(0.0, abs=1e-12)


def test_calibration_error_of_few_cases_is_as_large_by_chance_as_its_docstring_says() -> None:
    said = re.findall(r"(\d+)\s+(?:cases\s+)?give\s+(0\.\d+)", str(calibration_error.__doc__))
    rng = np.random.default_rng(0)
    for cases, error in [(int(cases), float(error)) for cases, error in said]:
        found = []
        for _ in range(400):
            probability = rng.uniform(0.5, 1.0, cases)
            found.append(calibration_error(probability, rng.random(cases) < probability))
        assert np.mean(found) == pytest.approx(error, abs=0.006)
    assert [cases for cases, _ in said] == ["45", "100", "1000"]
    assert "cases are few" in COLUMNS["calibration_error"][1]


def test_calibration_error_is_large_for_an_overconfident_forecaster() -> None:
    hit = np.arange(100) < 60
    assert calibration_error(np.full(100, 0.99), hit) == pytest.approx(0.39)


def test_calibration_errors_of_bins_do_not_cancel() -> None:
    probability = np.repeat([0.25, 0.75], 50)
    hit = np.concatenate([np.arange(50) < 35, np.arange(50) < 15])
    # off by 0.7 - 0.25 below and by 0.75 - 0.3 above
    assert calibration_error(probability, hit) == pytest.approx(0.45)


def test_calibration_takes_certainty_as_the_last_bin() -> None:
    assert calibration_error(np.ones(4), np.ones(4, bool)) == 0.0


def draws_of(**variables: np.ndarray) -> xr.DataTree:
    """Fake draws of a linear network with one input; arrays start with chain and draw."""
    data = {
        name: (("chain", "draw", *(f"{name}_{i}" for i in range(values.ndim - 2))), values)
        for name, values in variables.items()
    }
    return xr.DataTree.from_dict({"posterior": xr.Dataset(data)})


@pytest.fixture(scope="module")
def line() -> models.BNN:
    """The network f = w x + b with noise of a given precision."""
    X = np.linspace(-1, 1, 5)[:, None]
    return models.gaussian(X, X[:, 0], hidden=())


def line_draws(slopes: list[float], precision: float) -> xr.DataTree:
    w = np.array(slopes).reshape(1, -1, 1, 1)
    return draws_of(w0=w, b0=np.zeros(w.shape[:3]), noise_precision=np.full(w.shape[:2], precision))


def test_rmse_and_log_score_of_numbers_by_hand(line: models.BNN) -> None:
    draws = line_draws([1.0, 3.0], precision=4.0)
    scores = score_cases(line, draws, np.array([[1.0], [2.0]]), np.array([2.0, 5.0]))
    # outputs 1 and 3 for the first case, 2 and 6 for the second; noise sd 0.5
    density = [
        np.mean(norm.pdf([2.0, 2.0], [1.0, 3.0], 0.5)),
        np.mean(norm.pdf([5.0, 5.0], [2.0, 6.0], 0.5)),
    ]
    np.testing.assert_allclose(scores["log_score"], np.log(density), rtol=1e-10)
    summary = summarize_scores(scores)
    assert summary["log_score"] == pytest.approx(np.mean(np.log(density)))
    gap = np.log(density[0]) - np.log(density[1])
    assert summary["log_score_se"] == pytest.approx(abs(gap) / 2)


def test_scores_of_numbers_agree_with_the_predictive_distribution(line: models.BNN) -> None:
    slopes = [2.0] * 4000
    X = np.linspace(-1, 1, 41)[:, None]
    y = 2 * X[:, 0] + np.random.default_rng(2).normal(scale=0.5, size=41)
    scores = score_cases(line, line_draws(slopes, precision=4.0), X, y, seed=3)
    z = (y - 2 * X[:, 0]) / 0.5
    # 4000 draws: quantiles, ranks and means are off by a few percent of a standard deviation
    np.testing.assert_allclose(scores["mean"][:, 0], 2 * X[:, 0], atol=0.04)
    np.testing.assert_allclose(scores["crps"][:, 0], 0.5 * gaussian_crps(z), atol=0.03)
    np.testing.assert_allclose(scores["pit"][:, 0], norm.cdf(z), atol=0.04)
    quantiles = scores["quantiles"].isel(output=0).transpose("quantile", "obs")
    expected = 2 * X[:, 0] + 0.5 * norm.ppf(quantiles["quantile"].values)[:, None]
    np.testing.assert_allclose(quantiles, expected, atol=0.07)


def test_counts_that_are_predicted_well_have_a_uniform_distribution_function() -> None:
    rng = np.random.default_rng(4)
    draws, observed = rng.poisson(0.7, (5000, 1)), rng.poisson(0.7, 4000)
    found = evaluation.probability_below(draws, observed, rng)
    assert kstest(found, "uniform").pvalue > 1e-3
    middle = 0.5 * ((draws < observed).mean(axis=0) + (draws <= observed).mean(axis=0))
    assert kstest(middle, "uniform").pvalue < 1e-9


def test_a_distribution_function_of_draws_lies_in_their_jump() -> None:
    draws, observed = np.array([[0.0], [1.0], [1.0], [3.0]]), np.arange(4.0)
    found = evaluation.probability_below(draws, observed, np.random.default_rng(5))
    assert ((found >= [0.0, 0.25, 0.75, 0.75]) & (found <= [0.25, 0.75, 0.75, 1.0])).all()
    assert found[2] == 0.75  # nothing was drawn there


def test_whole_numbers_do_not_wrap_around() -> None:
    draws = np.array([[3], [3]], dtype=np.uint8)
    assert crps(draws, np.array([5], dtype=np.uint8)).tolist() == [2.0]
    with pytest.raises(ValueError, match="give numbers from 0 to 1, no percentages"):
        calibration_error(np.array([75.0, 80.0]), np.array([True, False]))


def number_scores(mean: list[float], observed: list[float], half: float) -> xr.Dataset:
    """Scores of intervals of 50% and 90% that are ``half`` and twice as far from the mean."""
    cells = ("obs", "output")
    column = {
        name: (cells, np.array(v)[:, None])
        for name, v in (
            ("mean", mean),
            ("observed", observed),
            ("crps", [1.0, 2.0, 3.0]),
        )
    }
    ends = np.array([-2 * half, -half, 0, half, 2 * half])[:, None]
    quantiles = (("quantile", *cells), (np.array(mean) + ends)[..., None])
    scores = {**column, "quantiles": quantiles, "log_score": ("obs", np.array([-1.0, -2.0, -3.0]))}
    return xr.Dataset(scores, coords={"quantile": list(evaluation.LEVELS)})


def test_summary_of_numbers_by_hand() -> None:
    summary = summarize_scores(number_scores([0, 0, 0], [1, 2, 2.5], 1.1))
    assert summary["rmse"] == pytest.approx(np.sqrt((1 + 4 + 6.25) / 3))
    assert summary["crps"] == pytest.approx(2.0)
    assert summary["coverage_50"] == pytest.approx(1 / 3)
    assert summary["coverage_90"] == pytest.approx(2 / 3)
    assert summary["log_score"] == pytest.approx(-2.0)
    assert summary["log_score_se"] == pytest.approx(1 / np.sqrt(3))


def test_intervals_of_counts_hold_their_ends() -> None:
    """Poisson counts of mean 0.5, of which 61% are none: no interval holds a half of them."""
    poisson = models.Poisson(rate=0.5)
    model = models.gaussian(np.zeros((2000, 1)), np.ones(2000), hidden=(), likelihood=poisson)
    y = np.random.default_rng(1).poisson(0.5, 2000)
    shapes = {name: (1, 1000, *group.shape) for name, group in model.groups.items()}
    posterior = {
        name: (["chain", "draw", *[f"{name}_{i}" for i in range(len(shape) - 2)]], np.zeros(shape))
        for name, shape in shapes.items()
    }
    idata = xr.DataTree.from_dict({"posterior": xr.Dataset(posterior)})
    scores = score_cases(model, idata, np.zeros((2000, 1)), y)
    summary = summarize_scores(scores)
    # quantiles of 25% and 75% are none and one, those of 5% and 95% none and two
    assert summary["coverage_50"] == pytest.approx((y <= 1).mean(), abs=0.01)
    assert summary["coverage_90"] == pytest.approx((y <= 2).mean(), abs=0.01)


def test_summary_of_numbers_is_in_the_unit_of_the_table() -> None:
    scores = number_scores([0, 0, 0], [1, 2, 2.5], 1.1)
    summary, scaled = summarize_scores(scores), summarize_scores(scores, sd=1000.0)
    assert scaled["rmse"] == pytest.approx(1000 * summary["rmse"])
    assert scaled["crps"] == pytest.approx(1000 * summary["crps"])
    # a density per thousandth of the unit is a thousandth of the density
    assert scaled["log_score"] == pytest.approx(summary["log_score"] - np.log(1000))
    assert scaled["coverage_90"] == summary["coverage_90"]


def test_scores_of_two_classes_by_hand() -> None:
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.gaussian(X, ["no", "yes"] * 3, hidden=(), likelihood="bernoulli")
    logit = np.log(0.8 / 0.2)
    draws = draws_of(w0=np.full((1, 2, 1, 1), logit), b0=np.zeros((1, 2, 1)))
    # probabilities of yes: 0.8, 0.8 and 0.2
    scores = score_cases(model, draws, [[1.0], [1.0], [-1.0]], ["yes", "no", "no"])
    np.testing.assert_allclose(scores["log_score"], np.log([0.8, 0.2, 0.8]))
    summary = summarize_scores(scores)
    assert summary["error_rate"] == pytest.approx(1 / 3)
    # said 0.8 three times, right twice
    assert summary["calibration_error"] == pytest.approx(0.8 - 2 / 3)


def test_scores_of_several_classes_by_hand() -> None:
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.gaussian(X, ["a", "b", "c"] * 2, hidden=(), likelihood="categorical")
    bias = np.log([0.7, 0.2, 0.1]).reshape(1, 1, 3)
    draws = draws_of(w0=np.zeros((1, 1, 1, 3)), b0=bias)
    scores = score_cases(model, draws, [[0.0]] * 4, ["a", "a", "b", "c"])
    np.testing.assert_allclose(scores["probability"][0], [0.7, 0.2, 0.1])
    np.testing.assert_allclose(scores["log_score"], np.log([0.7, 0.7, 0.2, 0.1]))
    summary = summarize_scores(scores)
    assert summary["error_rate"] == pytest.approx(0.5)
    assert summary["calibration_error"] == pytest.approx(0.2)


def test_a_class_that_the_model_does_not_know_is_refused(line: models.BNN) -> None:
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.gaussian(X, ["no", "yes"] * 3, hidden=(), likelihood="bernoulli")
    draws = draws_of(w0=np.zeros((1, 2, 1, 1)), b0=np.zeros((1, 2, 1)))
    with pytest.raises(ValueError, match="'maybe'"):
        score_cases(model, draws, [[1.0]], ["maybe"])


def test_scores_do_not_depend_on_the_size_of_batches(
    line: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = line_draws([1.0, 2.0, 3.0], precision=1e12)  # next to no noise: nothing is random
    X, y = np.linspace(-2, 2, 7)[:, None], 2.5 * np.linspace(-2, 2, 7) + 0.37
    whole = score_cases(line, draws, X, y)
    monkeypatch.setattr(evaluation, "BATCH_NUMBERS", 6)
    xr.testing.assert_allclose(score_cases(line, draws, X, y), whole, rtol=1e-4, atol=1e-4)
