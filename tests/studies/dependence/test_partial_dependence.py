"""Partial dependence is that of the model, its bands are calibrated, and no more is claimed."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.dependence.curve import Curve
from pymc_bnn.studies.dependence.functions import functions_along
from pymc_bnn.studies.dependence.grid import decoded
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.tables.column import Column
from pymc_bnn.studies.tables.encoding import Encoding, learn_encoding
from scipy.special import softmax
from scipy.stats import binom, poisson
from sklearn.inspection import partial_dependence as by_scikit_learn

NOISE, FALSE_ALARM = 0.5, 1e-3
FITS, SAMPLES = 300, 400


def drawn(model: models.BNN, samples: int = 50, seed: int = 1) -> xr.DataTree:
    """Made-up draws of a model's weights, of two chains."""
    rng = np.random.default_rng(seed)
    shapes = {name: group.shape for name, group in model.groups.items()}
    shapes |= dict.fromkeys(model.likelihood.hyperparameters, ())
    made = {
        name: (
            ("chain", "draw", *[f"{name}_{i}" for i in range(len(shape))]),
            rng.normal(size=(2, samples, *shape)),
        )
        for name, shape in shapes.items()
    }
    posterior = xr.Dataset(made)
    for name in model.likelihood.hyperparameters:
        posterior[name] = abs(posterior[name])
    return xr.DataTree.from_dict({"posterior": posterior})


def curve_of(found: studies.PartialDependence, column: str) -> Curve:
    return next(curve for curve in found.curves if curve.column == column)


class Counted(models.Poisson):
    """Counts from outside the package, which do not say what their mean is."""

    def observe(self, f: Any, y: Any) -> None:
        pm.Poisson("y_obs", pm.math.exp(f), observed=y, dims=("obs", "output"))

    def log_density(self, f: np.ndarray, y: np.ndarray, draws: Any) -> np.ndarray:
        return poisson.logpmf(y, np.exp(f)).sum(axis=-1)

    def simulate(self, f: np.ndarray, draws: Any, rng: np.random.Generator) -> np.ndarray:
        return rng.poisson(np.exp(f)).astype(float)

    def predicted(self, f: np.ndarray, draws: Any) -> dict[str, np.ndarray]:
        return {"f": f}


class CountedByMean(Counted):
    """Counts that say it."""

    observe, log_density, simulate = Counted.observe, Counted.log_density, Counted.simulate

    def predicted(self, f: np.ndarray, draws: Any) -> dict[str, np.ndarray]:
        return {"f": f, "mean": np.exp(f)}


def test_the_mean_of_a_likelihood_from_outside_is_what_it_says() -> None:
    X, y = np.linspace(-1, 1, 12)[:, None], np.arange(12) // 4
    ours, named, silent = (
        models.BNN(X, y, (2,), likelihood=likelihood)
        for likelihood in ("poisson", CountedByMean(), Counted())
    )
    draws = drawn(ours)
    expected, found = (studies.partial_dependence(model, draws) for model in (ours, named))
    np.testing.assert_allclose(found.curves[0].mean, expected.curves[0].mean)
    with pytest.raises(ValueError, match="Counted does not say what the mean of targets is"):
        studies.partial_dependence(silent, draws)


def test_the_mean_is_that_of_scikit_learn() -> None:
    """With an interaction, so that the average over rows is not the value at their mean."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"pounds": 3000 + 800 * rng.normal(size=60), "share": rng.uniform(size=60)})
    y = 20 + 0.01 * X["pounds"] * X["share"] + rng.normal(size=60)
    tiny = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # draws are few
        fitted = studies.BNNRegressor(hidden=(3,), likelihood="gaussian", **tiny).fit(X, y)
    found = studies.partial_dependence(fitted._model, fitted.idata_)
    assert (found.rows, found.samples, found.target) == (60, 20, "y")
    for name in X:
        curve = curve_of(found, name)
        assert len(curve.grid.values) == 20
        expected = by_scikit_learn(
            fitted, X, [name], method="brute", custom_values={name: curve.grid.values}
        )["average"][0]
        assert np.ptp(expected) > 0.1  # else a constant would do
        np.testing.assert_allclose(curve.mean[:, 0], expected, rtol=1e-7)
        assert np.isclose(curve.grid.values[:, None], X[name], rtol=1e-9).any(axis=1).all()


class Lines:
    """Exact posteriors of linear functions of three inputs, by conjugacy; the third is nothing."""

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        self.X = rng.integers(-2, 3, size=(40, 3)).astype(float)
        self.model = models.gaussian(self.X, self.X[:, 0], hidden=())
        self.design = np.column_stack([self.X, np.ones(len(self.X))])
        self.covariance = np.linalg.inv(self.design.T @ self.design / NOISE**2 + np.eye(4))

    def fit(self, seed: int) -> tuple[np.ndarray, studies.PartialDependence]:
        """Slopes from the prior with a third one of 0, and what is found from data of theirs."""
        rng = np.random.default_rng(seed)
        slopes = np.array([1, 1, 0, 1]) * rng.normal(size=4)
        y = self.design @ slopes + NOISE * rng.normal(size=len(self.X))
        mean = self.covariance @ self.design.T @ y / NOISE**2
        weights = rng.multivariate_normal(mean, self.covariance, size=SAMPLES)
        dims = ("chain", "draw")
        made = {
            "w0": ((*dims, "input", "output"), weights[None, :, :3, None]),
            "b0": ((*dims, "output"), weights[None, :, 3:]),
            "noise_precision": (dims, np.ones((1, SAMPLES))),
        }
        idata = xr.DataTree.from_dict({"posterior": xr.Dataset(made)})
        return slopes, studies.partial_dependence(self.model, idata)


@pytest.fixture(scope="module")
def lines() -> list[tuple[np.ndarray, studies.PartialDependence, np.ndarray]]:
    """Many of them, with their inputs."""
    many = Lines()
    return [(*many.fit(seed), many.X) for seed in range(FITS)]


@pytest.mark.parametrize("probability", [0.5, 0.9])
def test_bands_cover_additive_functions_as_often_as_they_say(
    lines: list, probability: float
) -> None:
    covered = 0
    for slopes, found, X in lines:
        curve, means = curve_of(found, "1"), X.mean(axis=0)
        low, high = curve.band(probability)
        others = slopes[0] * means[0] + slopes[2] * means[2] + slopes[3]
        truth = others + slopes[1] * curve.grid.values[-1]
        covered += low[-1, 0] < truth < high[-1, 0]
    fewest, most = binom.interval(1 - FALSE_ALARM, FITS, probability)
    assert fewest <= covered <= most


def test_slopes_of_additive_functions_are_found(lines: list) -> None:
    """The rise from end to end, against its error; normal, so that squares have a mean of 1."""
    squares = []
    for slopes, found, X in lines:
        curve = curve_of(found, "0")
        rises = (curve.draws[:, -1] - curve.draws[:, 0])[:, 0] / np.ptp(curve.grid.values)
        squares.append(((rises.mean() - slopes[0]) / rises.std()) ** 2)
        np.testing.assert_allclose(curve.measure, abs(rises) * X[:, 0].std())
    assert abs(np.mean(squares) - 1) < 3.3 * np.sqrt(2 / FITS)


def test_an_input_that_does_nothing_is_rarely_shown_to_matter(lines: list) -> None:
    """About one in ten is what a report says of them; there the slopes are 0 and not of a prior."""
    shown = sum(curve_of(found, "2").shown for _, found, _ in lines)
    assert shown <= binom.isf(FALSE_ALARM, FITS, 0.1)
    table = lines[0][1].table()
    assert not table.loc["2", "shown"]
    assert table.loc["2", "lower"] > 0  # which alone would show nothing
    assert table.index[-1] == "2"
    steep = [found for slopes, found, _ in lines if abs(slopes[0]) > 1]
    assert len(steep) > 50
    assert all(curve_of(found, "0").shown for found in steep)


def kinds() -> tuple[pd.DataFrame, Encoding]:
    """A table with a category that no training row has."""
    frame = pd.DataFrame(
        {
            "size": [20.0, 40.0, 60.0, 80.0, 50.0],
            "kind": ["hut", "flat", "flat", "house", "tower"],
            "price": [10.0, 20.0, 40.0, 50.0, 30.0],
        }
    )
    encoding = learn_encoding(frame, "price", "regression", [0, 1, 2, 3])
    return frame.iloc[:4], encoding


def test_categorical_columns_have_a_point_for_each_level_that_was_seen() -> None:
    frame, encoding = kinds()
    X = encoding.inputs(frame)
    model = models.gaussian(X, encoding.targets(frame["price"]), hidden=(3,))
    idata = drawn(model)
    found = studies.partial_dependence(model, idata, encoding)
    assert {curve.column for curve in found.curves} == {"size", "kind"}
    curve = curve_of(found, "kind")
    assert curve.grid.values.tolist() == ["flat", "house", "hut"]
    assert curve.grid.weights.tolist() == [0.5, 0.25, 0.25]
    for point, kind in enumerate(curve.grid.values):
        moved = encoding.inputs(frame.assign(kind=kind))
        f = model.predict(idata, moved, draws=["f"], seed=0)["predictions"].dataset["f"]
        each = f.mean("obs").values.ravel() * encoding.sd + encoding.mean
        np.testing.assert_allclose(curve.draws[:, point, 0], each)
    assert curve_of(found, "size").grid.values.tolist() == [20.0, 40.0, 60.0, 80.0]


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "c"]])
def test_classes_have_probabilities(labels: list[str]) -> None:
    X = np.random.default_rng(3).normal(size=(30, 2))
    likelihood = "bernoulli" if len(labels) == 2 else "categorical"
    model = models.gaussian(X, np.tile(labels, 30)[:30], hidden=(), likelihood=likelihood)
    idata = drawn(model)
    found = studies.partial_dependence(model, idata)
    assert found.classes == tuple(labels if len(labels) > 2 else labels[1:])
    curve = curve_of(found, "0")
    weights = {n: idata["posterior"][n].values.reshape(100, -1) for n in ("w0", "b0")}
    moved = np.column_stack([np.full(30, curve.grid.values[4]), X[:, 1]])
    f = moved @ weights["w0"].reshape(100, 2, -1) + weights["b0"][:, None]
    f = f if len(labels) > 2 else np.concatenate([np.zeros_like(f), f], axis=-1)
    expected = softmax(f, axis=-1).mean(axis=1)[:, -curve.draws.shape[-1] :]
    np.testing.assert_allclose(curve.draws[:, 4], expected)
    largest = (
        np.sqrt((curve.spreads**2).sum(axis=1) / 2) if len(labels) > 2 else curve.spreads[:, 0]
    )
    np.testing.assert_allclose(curve.measure, largest)
    frame = found.to_frame()
    assert len(frame) == 2 * 20 * len(found.classes)
    assert (frame["lower_90"] <= frame["lower_50"]).all()
    assert (frame["upper_50"] <= frame["upper_90"]).all()


def test_counts_have_means() -> None:
    X = np.arange(12.0)[:, None] / 10
    model = models.gaussian(X, np.arange(12), (), likelihood=models.Poisson(rate=3.0))
    idata = drawn(model)
    curve = studies.partial_dependence(model, idata).curves[0]
    w, b = (idata["posterior"][name].values.reshape(100) for name in ("w0", "b0"))
    np.testing.assert_allclose(curve.draws[:, 2, 0], 3 * np.exp(w * curve.grid.values[2] + b))


def test_a_constant_column_is_not_shown_to_matter() -> None:
    X = np.column_stack([np.ones(20), np.linspace(-1, 1, 20)])
    model = models.gaussian(X, X[:, 1], hidden=())
    curve = curve_of(studies.partial_dependence(model, drawn(model)), "0")
    assert len(curve.grid.values) == 1
    assert not curve.shown
    assert (curve.measure == 0).all()


def test_large_tables_are_thinned_always_alike() -> None:
    """Of rows in a pattern, every n-th would be of one kind."""
    pattern = np.tile([0.0, 1.0], 2500)
    rng = np.random.default_rng(4)
    X = np.column_stack([pattern, rng.normal(size=(5000, 24))])
    model = models.gaussian(X, X[:, 0], hidden=(2,))
    idata = drawn(model, samples=1000)
    idata["posterior"]["w0"].values[..., 1:, :] *= 0.01
    found, again = (studies.partial_dependence(model, idata) for _ in range(2))
    assert (found.columns, len(found.curves), found.rows, found.samples) == (25, 20, 100, 400)
    assert found.curves[0].column == "0"
    for curve, other in zip(found.curves, again.curves, strict=True):
        np.testing.assert_array_equal(curve.draws, other.draws)
    means = found.curves[1].mean[:, 0], found.curves[0].mean[:, 0]
    # at its middle an input that hardly does anything leaves the average over both kinds
    np.testing.assert_allclose(means[0].mean(), means[1].mean(), atol=0.2 * np.ptp(means[1]))


def test_an_encoding_of_another_table_is_refused() -> None:
    _, encoding = kinds()
    model = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    with pytest.raises(InputError, match="encoding makes 5 inputs, and the model has 3; give"):
        studies.partial_dependence(model, drawn(model), encoding)


def test_dates_move_with_their_period_and_not_with_those_that_are_missing() -> None:
    """As if each row of the table had had the date."""
    rng = np.random.default_rng(4)
    days = pd.date_range("2021-01-05", periods=30, freq="17D")
    frame = pd.DataFrame({"sold": days, "size": rng.normal(size=30), "price": rng.normal(size=30)})
    frame.loc[3, "sold"] = pd.NaT
    encoding = learn_encoding(frame, "price", "regression", range(30), {"sold": "year"})
    X = encoding.inputs(frame)
    model = models.gaussian(X, encoding.targets(frame["price"]), hidden=(3,))
    idata = drawn(model)
    curve = curve_of(studies.partial_dependence(model, idata, encoding), "sold")
    assert curve.grid.encoded.shape == (21, 4)
    assert set(curve.grid.encoded[:20, 3]) == {0.0}
    assert curve.grid.encoded[20].tolist() == [0.0, 0.0, 0.0, 1.0]
    years = curve.grid.values[:20]
    assert years.min() >= 2021.0
    for point in (2, 11):
        date = pd.Timestamp("2021-01-01") + pd.Timedelta(days=365 * (years[point] - 2021))
        at = encoding.inputs(frame.assign(sold=date))
        f = model.predict(idata, at)["predictions"]["f"].mean().item()
        assert curve.mean[point, 0] == pytest.approx(f * encoding.sd + encoding.mean, abs=1e-3)


def test_an_encoding_of_another_order_is_refused() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 3.0], "y": [0.0, 1.0, 3.0]})
    prepared = studies.prepare(pd.concat([frame] * 10), "y", task="regression")
    model = models.gaussian(prepared.X[["b", "a"]], prepared.y, hidden=())
    with pytest.raises(InputError, match="inputs of other names or in another order"):
        studies.partial_dependence(model, drawn(model), prepared.encoding)


def test_values_that_share_their_first_digits_are_told_apart() -> None:
    milliseconds = 1.7e12 + np.array([0.0, 100.0, 250.0, 400.0])
    found = decoded((milliseconds - 1.7e12) / 150.0, Column("t", 1.7e12, 150.0))
    np.testing.assert_array_equal(found, milliseconds)
    assert decoded(np.array([1 / 3]), Column("x", 0.0, 3.0)).tolist() == [1.0]


def test_values_in_small_units_are_not_rounded_without_an_encoding() -> None:
    values = np.array([1.234567890123e-10, -4.9e-12])
    np.testing.assert_array_equal(decoded(values, Column("x")), values)


def test_rows_that_are_no_training_rows_are_refused() -> None:
    X = np.linspace(-1, 1, 12)[:, None]
    model = models.gaussian(X, X[:, 0], hidden=())
    idata = drawn(model)
    data = {"X": (("obs", "input"), X)}, {"y_obs": (("obs", "output"), X)}
    for group, values in zip(("constant_data", "observed_data"), data, strict=True):
        idata[group] = xr.DataTree(xr.Dataset(values))
    assert studies.partial_dependence(model, idata).rows == 12
    with model:
        pm.set_data({"X": X[:6] + 5, "y": X[:6]})
    with pytest.raises(ValueError, match="other cases than those beside the draws"):
        studies.partial_dependence(model, idata)
    with pytest.raises(ValueError, match="other cases than those beside the draws"):
        functions_along(model, idata, "0")
