"""What a missing number does is part of a column's dependence, in numbers, words and pictures."""

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, studies
from pymc_bnn.studies.dependence.functions import functions_along
from pymc_bnn.studies.dependence.grid import columns_of, observed_grid
from pymc_bnn.studies.dependence.partial_dependence import PartialDependence
from pymc_bnn.studies.fits.fit_store import TABLE_ATTRIBUTE
from pymc_bnn.studies.reports.dependence_plots import common_limits, plot_curve
from pymc_bnn.studies.reports.dependence_words import curve_in_words, functions_in_words

from .test_partial_dependence import curve_of, drawn

SHARE = 0.4


@pytest.fixture(scope="module")
def incomes() -> studies.Prepared:
    """Two in five incomes are missing."""
    rows = np.arange(300)
    income = np.where(rows % 5 < 2, np.nan, 40.0 + rows % 11)
    frame = pd.DataFrame({"income": income, "age": 20.0 + rows % 17})
    frame["y"] = frame["income"].fillna(90.0) + np.random.default_rng(1).normal(size=300)
    return studies.prepare(frame, "y", mark_missing=True)


@pytest.fixture(scope="module")
def dependence(incomes: studies.Prepared) -> tuple[np.ndarray, PartialDependence]:
    """Slopes of a line, and its dependence: of known incomes nearly none."""
    model = models.gaussian(incomes.X, incomes.y, hidden=())
    idata = drawn(model)
    slopes = idata["posterior"]["w0"].values
    slopes[:] = np.array([0.01, 2.0, 0.1])[:, None] + 0.01 * slopes
    idata["posterior"]["b0"].values[:] *= 0.01
    found = studies.partial_dependence(model, idata, incomes.encoding)
    return slopes.reshape(100, 3), found


def test_the_measure_has_the_share_of_missing_rows_in_it(
    incomes: studies.Prepared, dependence: tuple[np.ndarray, PartialDependence]
) -> None:
    """Of a line it is the deviation of the column's part over the rows."""
    slopes, found = dependence
    assert list(incomes.X) == ["income", "income missing", "age"]
    curve = curve_of(found, "income")
    missing = incomes.X["income missing"].mean()
    assert curve.grid.weights[-1] == pytest.approx(missing)
    assert curve.grid.missing.tolist() == [False] * 11 + [True]
    parts = incomes.X.to_numpy()[:, :2] @ slopes[:, :2].T
    np.testing.assert_allclose(curve.measure, incomes.encoding.sd * parts.std(axis=0))
    spread = slopes[:, 1].mean() * np.sqrt(missing * (1 - missing)) * incomes.encoding.sd
    assert curve.measure.mean() == pytest.approx(spread, rel=0.01)
    assert found.curves[0] is curve
    assert curve.shown


def test_tables_and_words_say_what_is_predicted_where_a_number_is_missing(
    dependence: tuple[np.ndarray, PartialDependence],
) -> None:
    _, found = dependence
    frame = found.to_frame()
    assert frame["value"].tolist()[10:12] == [50.0, "(missing)"]
    assert not frame["value"].isna().any()
    said = curve_in_words(curve_of(found, "income"), found)
    assert "at 40 (" in said
    assert "at 50 (" in said
    [number] = said.split("), ")[2:]
    assert number.split(" ")[1:5] == ["where", "it", "is", "missing"]
    expected = frame[frame["value"] == "(missing)"]["mean"].item()
    assert float(number.split(" ")[0]) == pytest.approx(expected, abs=0.06)
    assert "missing" not in curve_in_words(curve_of(found, "age"), found)


def test_a_picture_names_the_point_of_missing_numbers(
    dependence: tuple[np.ndarray, PartialDependence],
) -> None:
    _, found = dependence
    curve = curve_of(found, "income")
    axes = plot_curve(curve, found, common_limits(found)).axes[0]
    [above] = axes.child_axes
    assert [tick.get_text() for tick in above.get_xticklabels()] == ["missing"]
    points = [line for line in axes.lines if line.get_marker() == "o"]
    assert [line.get_ydata().item() for line in points] == [curve.mean[-1, 0]]
    assert points[0].get_xdata().item() == above.get_xticks().item() > 50
    assert all(40 <= tick <= 50 for tick in axes.get_xticks())
    line = next(line for line in axes.lines if line.get_linestyle() == "-" and line not in points)
    assert line.get_xdata().max() == 50
    other = plot_curve(curve_of(found, "age"), found, common_limits(found)).axes[0]
    assert not other.child_axes
    plt.close("all")


def test_a_column_without_known_numbers_has_one_point(incomes: studies.Prepared) -> None:
    model = models.gaussian(incomes.X, incomes.y, hidden=())
    column, places = columns_of(model, incomes.encoding)[0]
    gone = np.tile([0.0, 1.0, 0.0], (5, 1))
    grid = observed_grid(gone, column, places, points=5)
    assert (grid.labels.tolist(), grid.weights.tolist()) == (["(missing)"], [1.0])
    assert grid.encoded.tolist() == [[0.0, 1.0]]


def test_words_about_functions_say_which_cases_are_not_drawn(
    incomes: studies.Prepared, dependence: tuple[np.ndarray, PartialDependence]
) -> None:
    model = models.gaussian(incomes.X, incomes.y, hidden=())
    idata = drawn(model, samples=10)
    idata.attrs[TABLE_ATTRIBUTE] = json.dumps({"encoding": incomes.encoding.to_dict()})
    gone = int(incomes.X["income missing"].sum())
    words = {
        name: functions_in_words(functions_along(model, idata, name), dependence[1])
        for name in ("income", "age")
    }
    assert f"Training cases without a value of income are not drawn: {gone}." in words["income"]
    assert "not drawn" not in words["age"]
