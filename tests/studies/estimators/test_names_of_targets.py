"""Predictions carry the names of targets: a table in, its names out."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import studies
from pymc_bnn.studies.estimators.target_names import (
    check_columns,
    columns_of,
    name_of_classes,
    named_targets,
)

from .test_estimators import LINE, SAME, TINY, line

X, Y = line(60, 3)
pytestmark = pytest.mark.usefixtures("few_sweeps")


def outputs_of(y: Any) -> list:
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    drawn = pickle.loads(pickle.dumps(found)).sample_predictions(X[:4])
    assert drawn.name == "y"
    assert drawn.dims == ("chain", "draw", "obs", "output")
    return drawn["output"].values.tolist()


@pytest.mark.parametrize(
    ("y", "names"),
    [
        (pd.DataFrame({"speed": Y, "height": 100 - Y}), ["speed", "height"]),
        (pd.DataFrame({"speed": Y}), ["speed"]),
        (pd.Series(Y, name="speed"), ["speed"]),
        (pd.Series(Y), [0]),
        (np.column_stack([Y, 100 - Y]), [0, 1]),
    ],
    ids=["frame", "column", "series", "no name", "array"],
)
def test_draws_of_numbers_have_the_names_of_targets(y: Any, names: list) -> None:
    assert outputs_of(y) == names


def test_names_change_nothing_else() -> None:
    both = pd.DataFrame({"speed": Y, "height": 100 - Y}, index=X.index + 7)
    named, bare = (
        studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y) for y in (both, both.to_numpy())
    )
    np.testing.assert_array_equal(named.predict(X), bare.predict(X))
    drawn = named.sample_predictions(X).sel(output="height")
    np.testing.assert_array_equal(drawn, bare.sample_predictions(X).sel(output=1))
    assert named.idata_["posterior"]["output"].values.tolist() == ["speed", "height"]


def test_numbered_columns_are_no_names() -> None:
    """Targets without names, which have the numbers from 0, would be those of other columns."""
    both = pd.DataFrame({1: Y, 2: 100 - Y})
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, both)
    assert found.sample_predictions(X[:4])["output"].values.tolist() == [0, 1]
    assert np.isfinite(found.log_density(X, both)).all()


@pytest.mark.usefixtures("without_plots")
def test_a_report_takes_named_targets(tmp_path: Path) -> None:
    y = pd.Series(Y, name="speed")
    found = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    assert found.report_(tmp_path / "report.html", X, y).is_file()
    assert found.log_density(X, y).mean() > -2
    assert len(studies.predict_table(found.idata_, X)) == len(X)


def test_drawn_classes_have_the_name_of_theirs() -> None:
    labels = np.where(Y > 0, "up", "down")
    found = studies.BNNClassifier(prior="gaussian", **LINE)
    assert found.fit(X, pd.Series(labels, name="way")).sample_predictions(X[:4]).name == "way"
    assert found.fit(X, labels).sample_predictions(X[:4]).name == "y"


@pytest.mark.parametrize(
    "columns",
    [
        pd.to_datetime(["2024-01-01", "2025-01-01"]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]),
        [1, 2],
        [float("nan"), "u"],
    ],
    ids=["dates", "pairs", "numbers", "missing"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_columns_in_another_order_are_refused_even_if_they_are_no_names(columns: Any) -> None:
    y = pd.DataFrame(np.column_stack([Y, 100 - Y]), columns=columns)
    found = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y)
    drawn = found.sample_predictions(X[:4])
    assert drawn["output"].values.tolist() == [0, 1]
    found = pickle.loads(pickle.dumps(found))
    assert found.score(X, y) == found.score(X, y.to_numpy())
    for judge in (found.score, found.log_density):
        with pytest.raises(ValueError, match="in this order, as to fit"):
            judge(X, y.iloc[:, ::-1])
        with pytest.raises(ValueError, match="in this order, as to fit"):
            judge(X, y.set_axis(["u", "u"], axis=1))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("known", [None, ["speed", "height"]], ids=["array", "table"])
def test_a_regressor_is_read_that_was_pickled_when_names_were_a_list(known: Any) -> None:
    y = pd.DataFrame({"speed": Y, "height": 100 - Y})
    found = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y.to_numpy())
    found._names = known
    found = pickle.loads(pickle.dumps(found))
    assert found.score(X, y) == found.score(X, y.to_numpy())
    if known is not None:
        with pytest.raises(ValueError, match="in this order, as to fit"):
            found.score(X, y[["height", "speed"]])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_classifier_is_read_that_was_pickled_without_names(tmp_path: Path) -> None:
    labels = pd.Series(np.where(Y > 0, "up", "down"), name="draw")
    found = studies.BNNClassifier(hidden=(), **TINY).fit(X, labels)
    drawn = found.sample_predictions(X[:4])
    drawn.to_netcdf(tmp_path / "drawn.nc")
    assert drawn.to_dataset()["y"].dims == ("chain", "draw", "obs")  # "draw" is one of them
    del found._names
    assert pickle.loads(pickle.dumps(found)).sample_predictions(X[:4]).name == "y"


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("way",), "way"),
        *[((odd,), "y") for odd in ("draw", "chain", "obs", "", "up/down", 0, 1.5, ("a", 1))],
        ((), "y"),
        (None, "y"),
    ],
)
def test_drawn_classes_have_a_name_that_files_can_hold(
    columns: Any, name: str, tmp_path: Path
) -> None:
    dims = ("chain", "draw", "obs")
    drawn = xr.DataArray(np.array([[["up", "down"]]]), {"obs": [0, 1]}, dims, name="y")
    found = drawn.rename(name_of_classes(columns, drawn))
    assert found.name == name
    assert list(xr.DataTree(found.to_dataset()).data_vars) == [name]
    found.to_netcdf(tmp_path / "drawn.nc")
    assert xr.load_dataarray(tmp_path / "drawn.nc").name == name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_outputs_may_be_called_as_dimensions_are(tmp_path: Path) -> None:
    names = ["output", "obs", "chain", "draw", "f", "y", "up/down", ""]
    y = pd.DataFrame({name: Y + k for k, name in enumerate(names)})
    found = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y)
    drawn = pickle.loads(pickle.dumps(found)).sample_predictions(X[:4])
    assert drawn.dims == ("chain", "draw", "obs", "output")
    drawn.to_netcdf(tmp_path / "drawn.nc")
    again = xr.load_dataarray(tmp_path / "drawn.nc")
    assert again["output"].values.tolist() == drawn["output"].values.tolist() == names
    assert found.predict(X).shape == y.shape
    assert np.isfinite(found.log_density(X, y)).all()


def test_names_that_cannot_be_used_are_none() -> None:
    assert columns_of(None) == columns_of([1.0]) == columns_of(pd.Series([1.0])) == ()
    assert columns_of(xr.DataArray([[1.0]], {"output": ["u"]}, ("obs", "output"))) == ("u",)
    both = np.zeros((1, 2))
    for columns in (("u", "u"), (("a", 1), ("a", 2)), (0, 1), ("u", 1), ()):
        assert named_targets(both, columns) is both
    thrice = pd.DataFrame(np.zeros((1, 3)), columns=["u", "u", "v"])
    check_columns(thrice, columns_of(thrice))
    with pytest.raises(ValueError, match="in this order"):
        check_columns(thrice.iloc[:, ::-1], columns_of(thrice))
