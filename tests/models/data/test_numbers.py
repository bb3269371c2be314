"""What is no finite number is refused by its kind and its column, and nothing is changed unsaid."""

import re
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models
from pymc_bnn.models.data.class_targets import class_targets
from pymc_bnn.models.data.targets import as_inputs, check_outputs, numeric_targets
from scipy.sparse import csr_array

DAYS = pd.date_range("2024-01-01", periods=3)
NUMBERS = {"age": [1.0, 2.0, 3.0]}


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({**NUMBERS, **columns})


@pytest.mark.parametrize(
    "X",
    [
        np.ma.array([[1.0], [2.0], [3.0]], mask=False),
        [[Decimal(1)], [Decimal(2)], [Decimal(3)]],
        pd.DataFrame({"age": pd.array([1, 2, 3], dtype="Int64")}),
        pd.DataFrame({"age": pd.array([1.0, 2.0, 3.0], dtype="Float32")}),
        pd.DataFrame({"age": pd.Series([1, 2, 3], dtype=object)}),
        pd.DataFrame({"age": pd.arrays.SparseArray([1.0, 2.0, 3.0])}),
        np.array([[1], [2], [3]], dtype=np.uint8),
        np.array([[1.0], [2.0], [3.0]], dtype=np.longdouble),
    ],
    ids=lambda X: type(X).__name__,
)
def test_real_numbers_of_any_type_are_inputs(X: Any) -> None:
    values = as_inputs(X)[0]
    assert values.dtype == np.float64
    assert values.flags.c_contiguous
    assert values.tolist() == [[1.0], [2.0], [3.0]]


def test_truth_values_are_zeros_and_ones() -> None:
    assert as_inputs(frame(sold=[True, False, True]))[0][:, 1].tolist() == [1.0, 0.0, 1.0]
    assert numeric_targets(pd.array([True, False], dtype="boolean")).values[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (frame(day=DAYS), "X is not numeric, it has dates in column(s) 'day'; turn them into"),
        (frame(day=DAYS.tz_localize("UTC")), "dates in column(s) 'day'"),
        (frame(day=DAYS.to_period()), "dates in column(s) 'day'"),
        (frame(day=[d.date() for d in DAYS]), "dates in column(s) 'day'"),
        (frame(wait=DAYS - DAYS[0], z=1.0), "durations in column(s) 'wait'; turn them into"),
        (frame(z=[1j, 2, 3]), "complex numbers in column(s) 'z'; give their real and imaginary"),
        (frame(a="x", b=["1", "2", "3"]), "texts or categories in column(s) 'a', 'b'; encode them"),
        (frame(kind=pd.Categorical([3, 4, 3])), "texts or categories in column(s) 'kind'"),
        (frame(b=[b"1", b"2", b"3"]), "texts or categories in column(s) 'b'"),
        (frame(of=pd.cut([1, 2, 3], 2)), "in column(s) 'of'"),
        (frame(mixed=["1", 2.5, 3]), "in column(s) 'mixed'"),
        (frame(lists=[[1], [2], [3]]), "in column(s) 'lists'"),
        (DAYS.to_numpy()[:, None], "X is not numeric, it has dates; turn them into numbers first"),
        ((DAYS - DAYS[0]).to_numpy()[:, None], "X is not numeric, it has durations"),
        (np.array([[1j]]), "X is not numeric, it has complex numbers"),
        ([["1", "2"]], "X is not numeric, it has texts or categories"),
        (np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]), "X is not numeric"),
        (xr.DataArray([[1j]], dims=("i", "j"), coords={"j": ["z"]}), "in column(s) 'z'"),
        (xr.DataArray(DAYS.to_numpy()[:, None], dims=("i", "j")), "X is not numeric, it has dates"),
        (np.ma.array([[1.0, 2.0]], mask=[[1, 0]]), "X has 1 masked value(s); drop or fill them"),
        ([np.ma.array([1.0, 2.0], mask=[1, 1])], "X has 2 masked value(s)"),
        (frame(age=pd.array([1, None, 3], dtype="Int64")), "1 missing or infinite value(s) in co"),
        (frame(age=[1, None, pd.NA]), "X has 2 missing or infinite value(s) in column(s) 'age'"),
        ([[1.0, None]], "X has 1 missing or infinite value(s)"),
        (csr_array(np.eye(2)), "X is a sparse matrix; give X.toarray()"),
        (None, "X is of type NoneType; give an array or a DataFrame"),
        ({"age": [1.0]}, "X is of type dict; give an array or a DataFrame"),
        (
            pd.DataFrame(np.eye(2), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])),
            "X has column names that are no texts or numbers, such as ('a', 1); rename them",
        ),
        (pd.DataFrame(np.eye(3), columns=DAYS), "X has column names that are no texts or numbers"),
    ],
)
def test_what_is_no_number_is_refused_by_kind_and_column(X: Any, message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=re.escape(message)) as error:
            as_inputs(X)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ma.array([1.0, 2.0], mask=[0, 1]), "y has 1 masked value(s); drop or fill them"),
        (pd.Series(DAYS, name="day"), "y is not numeric, it has dates in column(s) 'day'"),
        (np.array([1j, 2.0]), "y is not numeric, it has complex numbers"),
        (pd.DataFrame(np.eye(2), columns=["a", "a"]), "y has the column(s) 'a' more than once"),
        (pd.Series(["a", "b"]), "for classes use likelihood='categorical'"),
        ([], "y is empty"),
        (pd.DataFrame(index=range(3)), "y is empty: its shape is (3, 0)"),
    ],
)
def test_targets_that_are_no_numbers_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        numeric_targets(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (DAYS, "y has classes of type datetime64, such as 2024-01-01"),
        (pd.Series(DAYS, dtype=object), "y has classes of type Timestamp, such as 2024-01-01"),
        (DAYS - DAYS[0], "y has classes of type timedelta64"),
        (pd.cut([1, 2, 3], 2), "y has classes of type Interval, such as (0.998, 2.0]"),
        ([1j, 2, 1j], "y has classes of type complex128"),
        ([b"a", b"b"], "y has classes of type bytes_"),
        (np.ma.array(["a", "b"], mask=[0, 1]), "y has 1 masked value(s); drop or fill them"),
        (None, "y is of type NoneType; give an array or a DataFrame"),
    ],
)
def test_classes_that_a_model_cannot_keep_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        class_targets(y)
    assert "\n" not in str(error.value)


def test_dates_as_texts_are_classes() -> None:
    model = models.gaussian(np.eye(3), DAYS.astype(str), hidden=(2,), likelihood="categorical")
    assert model.to_dict()["classes"] == ["2024-01-01", "2024-01-02", "2024-01-03"]


def test_columns_of_targets_that_moved_are_refused() -> None:
    y = numeric_targets(pd.DataFrame(np.eye(2), columns=["width", "height"]))
    with pytest.raises(ValueError, match="put them in the order 'height', 'depth'"):
        check_outputs(y, ("height", "depth"))
