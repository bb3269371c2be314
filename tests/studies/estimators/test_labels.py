"""Tables are held against each other by labels of any type: those of columns and of rows."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import studies
from pymc_bnn.studies.estimators.labels import check_rows
from sklearn.model_selection import cross_val_score

from .test_estimators import TINY, line

X, Y = line(60, 3)
FEW = {**TINY, "draws": 30}  # enough for a report
ROWS = pd.Series([1.0, 2.0, 3.0, 4.0], index=[4, 0, 2, 7])
ANOTHER_ORDER = r"^X and y have the same labels in another order; align them, as by y\.loc\[X\.in"
pytestmark = [
    pytest.mark.usefixtures("few_sweeps"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.mark.parametrize(
    "columns",
    [
        [2019, 2020],
        [1, 0],
        pd.to_datetime(["2024-01-01", "2025-01-01"]),
        pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]),
        [float("nan"), 1.0],
    ],
    ids=["years", "places", "dates", "pairs", "missing"],
)
def test_inputs_in_other_columns_are_refused_even_if_they_are_no_texts(
    columns: Any, tmp_path: Path
) -> None:
    table = X.set_axis(columns, axis=1)
    found = studies.BNNRegressor(hidden=(), likelihood="gaussian", **FEW).fit(table, Y)
    found = pickle.loads(pickle.dumps(found))
    expected = found.predict(table)
    np.testing.assert_array_equal(found.predict(X.to_numpy()), expected)
    for wrong in (table.iloc[:, ::-1], table.set_axis([7, 8], axis=1)):
        for ask in (
            found.predict,
            found.predict_interval,
            found.sample_predictions,
            lambda X: found.log_density(X, Y),
            lambda X: found.score(X, Y),
            lambda X: found.report_(tmp_path / "report.html", X, Y),
        ):
            with pytest.raises(ValueError, match=r"^X has the column .* where the fit had .*order"):
                ask(wrong)
    del found._inputs  # as of a pickle of an earlier version
    assert pickle.loads(pickle.dumps(found)).predict(table).tolist() == expected.tolist()


def test_arrays_and_texts_are_taken_as_scikit_learn_takes_them() -> None:
    labels = np.where(Y > 0, "up", "down")
    numbered = X.set_axis([2019, 2020], axis=1)
    found = studies.BNNClassifier(hidden=(), **TINY).fit(numbered, labels)
    expected = found.predict_proba(numbered)
    for same in (X.to_numpy(), X):  # with a warning of other names
        np.testing.assert_array_equal(found.predict_proba(same), expected)
    with pytest.raises(ValueError, match="X has the column 2020 where the fit had 2019; give its"):
        found.predict_proba(numbered[[2020, 2019]])
    found.fit(X.to_numpy(), labels)
    assert np.isfinite(found.predict_proba(numbered[[2020, 2019]])).all()
    with pytest.raises(ValueError, match="feature names should match"):
        found.fit(X, labels).predict_proba(X[X.columns[::-1]])


@pytest.mark.parametrize("estimator", [studies.BNNRegressor, studies.BNNClassifier])
def test_cases_in_another_order_are_refused(estimator: type, tmp_path: Path) -> None:
    y = pd.Series(Y if estimator is studies.BNNRegressor else np.where(Y > 0, "up", "down"))
    turned = y.sample(frac=1, random_state=0)
    made = estimator(hidden=(), **FEW)
    if estimator is studies.BNNRegressor:
        made.set_params(likelihood="gaussian")
    with pytest.raises(ValueError, match=ANOTHER_ORDER):
        made.fit(X, turned)
    with pytest.raises(ValueError, match=ANOTHER_ORDER):
        cross_val_score(made, X, turned, cv=3, error_score="raise")
    aligned = X.loc[turned.index]
    assert np.isfinite(cross_val_score(made, aligned, turned, cv=2)).all()
    made.fit(X, y)
    assert made.score(X, y) == pytest.approx(made.score(aligned, turned))
    judges = [made.score, lambda X, y: made.report_(tmp_path / "report.html", X, y)]
    for judge in (*judges, *([made.log_density] if hasattr(made, "log_density") else [])):
        with pytest.raises(ValueError, match=ANOTHER_ORDER):
            judge(X, turned)
    assert np.isfinite(made.score(X, turned.to_numpy()))


@pytest.mark.parametrize(
    ("X", "y", "refused"),
    [
        (ROWS, ROWS[::-1], True),
        (ROWS.to_frame(), ROWS[::-1].to_frame(), True),
        (ROWS, xr.DataArray(ROWS[::-1].to_numpy(), {"case": ROWS.index[::-1]}, "case"), True),
        (ROWS.reset_index(drop=True), ROWS.set_axis([1, 0, 3, 2]), True),
        (ROWS[:3], ROWS[:0:-1], True),  # as of folds
        (ROWS.set_axis(list("aabb")), ROWS.set_axis(list("abab")), True),
        (ROWS, ROWS[::-1].to_numpy(), False),
        (ROWS.to_numpy(), ROWS[::-1].tolist(), False),
        (ROWS[:3], ROWS[1:], False),  # what comes next, as of a series
        (ROWS.reset_index(drop=True), ROWS.set_axis([5, 1, 0, 9]), False),  # numbered by a step
        (ROWS, ROWS.set_axis(list("abcd")), False),
        (ROWS, ROWS.set_axis(pd.MultiIndex.from_product([[4, 0], [2, 7]])), False),
        (ROWS.set_axis([1, 1, 2, 3]), ROWS.set_axis([1, 2, 8, 9]), False),
        (ROWS, ROWS[:3], False),  # scikit-learn says so
        (ROWS, None, False),
    ],
)
def test_rows_are_paired_by_labels_only_where_these_tell(X: Any, y: Any, refused: bool) -> None:
    if refused:
        with pytest.raises(ValueError, match=ANOTHER_ORDER):
            check_rows(X, y)
    else:
        check_rows(X, y)
