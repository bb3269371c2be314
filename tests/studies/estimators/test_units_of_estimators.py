"""Outputs have noise of their own, and columns the scale that their numbers have."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import studies
from pymc_bnn.studies.chains.chain_stacking import ChainWeights
from pymc_bnn.studies.estimators.units import centre_and_scale

LINE: dict[str, Any] = {"hidden": (), "cores": 1, "random_state": 1, "likelihood": "gaussian"}
NOISE = np.array([0.05, 1.0])


@pytest.mark.parametrize("likelihood", ["gaussian", "student_t"])
def test_a_precise_output_has_narrower_intervals_than_a_noisy_one(likelihood: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, (400, 1))
    y = x * [1.0, 0.3] + NOISE * rng.normal(size=(400, 2))
    model = studies.BNNRegressor(**LINE | {"likelihood": likelihood}, draws=200, tune=100)
    ends = model.fit(x, y).predict_interval(x, 0.9)
    inside = (ends[..., 0] < y) & (y < ends[..., 1])
    # 400 cases, and 800 draws for each end
    assert inside.mean(axis=0) == pytest.approx([0.9, 0.9], abs=0.06)
    widths = (ends[..., 1] - ends[..., 0]).mean(axis=0)
    assert widths == pytest.approx(2 * 1.645 * NOISE, rel=0.2)


@pytest.mark.parametrize("estimator", [studies.BNNRegressor, studies.BNNClassifier])
def test_dates_are_no_numbers_of_an_unknown_unit(estimator: type) -> None:
    days = pd.date_range("2020-01-01", periods=40, unit="s")
    y = np.arange(40) % 2
    mixed = pd.DataFrame({"sold": days, "size": np.arange(40.0)})
    for X in (
        mixed,
        mixed[["sold"]],
        mixed[["sold"]].to_numpy(),
        (days - days[0]).to_numpy()[:, None],
        [[day] for day in days.to_numpy()],
        [days.to_numpy(), days.to_numpy()],
        xr.DataArray(mixed[["sold"]].to_numpy(), dims=("case", "input")),
        mixed.astype({"sold": "category"}),
    ):
        with pytest.raises(ValueError, match=r"^X has dates or durations.*; make"):
            estimator(hidden=()).fit(X, y)
    if estimator is studies.BNNRegressor:
        with pytest.raises(ValueError, match=r"^y has dates or durations; make"):
            estimator(hidden=()).fit(mixed[["size"]], pd.Series(days - days[0]))
        for times in (days, days.array, list(days.to_numpy()), pd.Series(days, dtype="category")):
            with pytest.raises(ValueError, match=r"^y has dates or durations"):
                estimator(hidden=()).fit(mixed[["size"]], times)


@pytest.mark.parametrize("estimator", [studies.BNNRegressor, studies.BNNClassifier])
def test_what_is_masked_is_not_read(estimator: type) -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    masked = np.ma.array(X, mask=X > 30)
    with pytest.raises(ValueError, match=r"^X has 9 masked value\(s\); drop or fill them"):
        estimator(hidden=()).fit(masked, y)
    with pytest.raises(ValueError, match=r"^y has 9 masked value\(s\); drop or fill them"):
        estimator(hidden=()).fit(X, np.ma.array(y, mask=masked.mask[:, 0]))


def test_scores_are_of_what_a_fit_would_take(fitted: studies.BNNRegressor) -> None:
    x = np.random.default_rng(2).normal(size=(120, 2))
    y = x[:, 0]
    right = fitted.score(x, y)
    assert right == fitted.score(x, y[:, None]) == fitted.score(x, pd.Series(y, dtype="Float64"))
    hidden = np.ma.array(np.where(y > 1, -9999.0, y), mask=y > 1)
    seconds = pd.Series(pd.to_timedelta(y, unit="s"))
    for bad, said in (
        (hidden, rf"^y has {hidden.mask.sum()} masked value\(s\); drop or fill them\.$"),
        (seconds, "^y is not numeric, it has durations; turn them into numbers first"),
        (pd.Timestamp("2020") + seconds, "^y is not numeric, it has dates; turn them"),
        (np.c_[y, y], r"^y has shape \(120, 2\): give 1 target\(s\) for each case, as to fit"),
    ):
        for judge in (fitted.score, fitted.log_density):
            with pytest.raises(ValueError, match=said):
                judge(x, bad)


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_large_classes_are_told_apart() -> None:
    x = np.random.default_rng(3).normal(size=(60, 1))
    classes = np.array([2**53, 2**53 + 1, 7])  # of which float64 makes two
    y = classes[np.digitize(x[:, 0], [-0.5, 0.5])]
    model = studies.BNNClassifier(hidden=(), draws=50, tune=50, cores=1, random_state=1)
    model.fit(x, pd.Series(y, dtype="Int64"))
    assert model.classes_.tolist() == [7, 2**53, 2**53 + 1]
    assert model.score(x, y) == model.score(x, pd.Series(y, dtype="Int64")) > 0.6
    with pytest.raises(ValueError, match=r"^y has \d+ masked value\(s\); drop or fill them\.$"):
        model.score(x, np.ma.array(y, mask=y == 7))


def test_columns_that_are_constant_but_for_rounding_are_only_centred() -> None:
    parts = np.random.default_rng(0).dirichlet([2, 2, 2], 200)
    total = parts.sum(axis=1)
    assert np.ptp(total) > 0
    mean, sd = centre_and_scale(np.column_stack([parts, total]), "X")
    assert sd[-1] == 1.0
    assert mean[-1] == pytest.approx(1.0)
    assert sd[:-1].tolist() == parts.std(axis=0).tolist()


@pytest.fixture(scope="module")
def fitted() -> studies.BNNRegressor:
    x = np.random.default_rng(2).normal(size=(120, 2))
    return studies.BNNRegressor(**LINE, draws=100, tune=100, prior="gaussian").fit(x, x[:, 0])


def test_intervals_that_few_draws_end_are_warned_of(fitted: studies.BNNRegressor) -> None:
    inputs = np.zeros((1, 2))
    with pytest.warns(UserWarning, match=r"0\.99 has 2 of 400 draws beyond each end.* most 0\.975"):
        fitted.predict_interval(inputs, 0.99)
    fitted.predict_interval(inputs, 0.975)


def test_draws_that_chain_weights_leave_out_end_no_interval(
    fitted: studies.BNNRegressor, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = ChainWeights((0.97, 0.01, 0.01, 0.01), 50.0, 1.0, 120)
    monkeypatch.setattr(fitted, "chain_weights_", weights)
    with pytest.warns(UserWarning, match=r"0\.96 has 2\.1 of 103 draws beyond each end"):
        fitted.predict_interval(np.zeros((1, 2)), 0.96)


def test_a_report_calls_the_model_as_it_was_fitted(
    fitted: studies.BNNRegressor, tmp_path: Path
) -> None:
    page = fitted.set_params(prior="ard").report_(tmp_path / "r.html").read_text("utf-8")
    fitted.set_params(prior="gaussian")
    assert "gaussian" in re.findall(r'<h2 id="(\w+)">', page)
