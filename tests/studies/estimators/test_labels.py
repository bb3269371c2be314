"""Tables are held against each other by labels of any type."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import studies

from .test_estimators import TINY, line

X, Y = line(60, 3)
FEW = {**TINY, "draws": 30}  # enough for a report
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
