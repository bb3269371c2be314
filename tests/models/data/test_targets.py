"""Inputs and targets become numbers, and what cannot is refused in one line that says why."""

import re
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from pymc_bnn.models.data.class_targets import class_targets
from pymc_bnn.models.data.targets import as_inputs, check_outputs, numeric_targets

LARGE = (2**53, 2**53 + 1)  # which float64 does not tell apart
FRAME = pd.DataFrame({"age": [1.0, 2.0, 3.0], "weight": [4, 5, 6]})


def refused(message: str, function: Callable[..., Any], *arguments: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        function(*arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("X", [FRAME.to_numpy(), FRAME.to_numpy().tolist(), FRAME.to_numpy().T.T])
def test_arrays_and_lists_become_a_float64_matrix(X: Any) -> None:
    values, names = as_inputs(X)
    assert values.dtype == np.float64
    assert values.flags.c_contiguous
    assert np.array_equal(values, FRAME.to_numpy())
    assert names == (0, 1)


def test_inputs_are_a_copy() -> None:
    X = np.ones((2, 2))
    as_inputs(X)[0][0, 0] = 5.0
    assert X[0, 0] == 1


def test_column_names_are_kept() -> None:
    assert as_inputs(FRAME)[1] == ("age", "weight")


def test_coordinates_of_a_dataarray_are_column_names() -> None:
    X = xr.DataArray(
        FRAME.to_numpy(), dims=("case", "variable"), coords={"variable": ["age", "weight"]}
    )
    values, names = as_inputs(X)
    assert names == ("age", "weight")
    assert np.array_equal(values, FRAME.to_numpy())
    assert as_inputs(X.drop_vars("variable"))[1] == (0, 1)


@pytest.mark.parametrize("as_dataarray", [False, True])
def test_columns_are_put_into_the_models_order(as_dataarray: bool) -> None:
    X: Any = FRAME.assign(unused=["a", "b", "c"])[["weight", "unused", "age"]]
    if as_dataarray:
        X = X.drop(columns="unused")
        X = xr.DataArray(X.to_numpy(), dims=("i", "j"), coords={"j": list(X.columns)})
    values, names = as_inputs(X, ("age", "weight"))
    assert names == ("age", "weight")
    assert np.array_equal(values, FRAME.to_numpy())


@pytest.mark.parametrize(
    "turned",
    [
        pa.Table.from_pandas(FRAME[["weight", "age"]]),
        FRAME.to_xarray(),
        xr.DataArray(FRAME.T.to_numpy(), dims=("input", "case"), coords={"input": FRAME.columns}),
        xr.DataArray(FRAME.T.to_numpy(), dims=("j", "i"), coords={"j": FRAME.columns}),
        xr.DataArray(FRAME.T.to_numpy()[:, :2], dims=("j", "obs"), coords={"j": FRAME.columns}),
    ],
)
def test_tables_that_name_their_columns_are_read_by_names(turned: Any) -> None:
    values, names = as_inputs(turned, ("age", "weight"))
    assert names == ("age", "weight")
    np.testing.assert_array_equal(values, FRAME.to_numpy()[: len(values)])


def test_numbers_of_cases_are_no_names_of_columns() -> None:
    X = np.arange(8.0).reshape(4, 2)
    for rows in ("case", "obs"):
        numbered = xr.DataArray(X, dims=(rows, "column"), coords={rows: np.arange(4)})
        np.testing.assert_array_equal(as_inputs(numbered, (0, 1))[0], X)
        np.testing.assert_array_equal(as_inputs(numbered[:2], (0, 1))[0], X[:2])


def test_coordinates_of_a_dataset_are_no_columns() -> None:
    data = FRAME.to_xarray().assign_coords(run=7, place=("index", [1.0, 2.0, 3.0]))
    assert as_inputs(data)[1] == ("age", "weight")
    assert numeric_targets(data[["age"]]).outputs == ("age",)
    with pytest.raises(ValueError, match="a Dataset has the dimensions i, j; give one of cases"):
        as_inputs(xr.Dataset({"a": (("i", "j"), np.ones((2, 2)))}))


def test_names_of_cases_are_none_of_columns() -> None:
    X = xr.DataArray(FRAME.to_numpy(), dims=("i", "j"), coords={"i": ["a", "b", "c"]})
    np.testing.assert_array_equal(as_inputs(X, ("age", "weight"))[0], FRAME.to_numpy())


def test_an_array_takes_the_models_names() -> None:
    assert as_inputs(FRAME.to_numpy(), ("age", "weight"))[1] == ("age", "weight")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], "X must be a matrix of shape (cases, inputs), got shape (2,)"),
        (np.ones((1, 2, 3)), "X must be a matrix of shape (cases, inputs), got shape (1, 2, 3)"),
        (np.empty((0, 2)), "X is empty: its shape is (0, 2)"),
        (np.empty((3, 0)), "X is empty: its shape is (3, 0)"),
        ([["a", "b"]], "X is not numeric"),
        ([[1.0, 2.0], [3.0]], "X is no matrix: its rows differ in length"),
        ([[1.0, np.nan]], "X has 1 missing or infinite value(s); drop or fill them"),
        ([[np.inf, -np.inf]], "X has 2 missing or infinite value(s)"),
        (
            FRAME.assign(age=[1, np.nan, np.inf]),
            "X has 2 missing or infinite value(s) in column(s) 'age'",
        ),
        (pd.concat([FRAME, FRAME[["age"]]], axis=1), "X has the column(s) 'age' more than once"),
    ],
)
def test_bad_inputs_are_refused(X: Any, message: str) -> None:
    refused(message, as_inputs, X)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (FRAME[["age"]], "X lacks the column(s) 'weight' that the model has"),
        (FRAME.to_numpy()[:, :1], "X has 1 columns, the model has 2 inputs"),
    ],
)
def test_inputs_that_do_not_fit_the_model_are_refused(X: Any, message: str) -> None:
    refused(message, as_inputs, X, ("age", "weight"))


@pytest.mark.parametrize(
    ("y", "outputs"),
    [
        ([1, 2, 3], (0,)),
        (np.array([1.0, 2.0, 3.0])[:, None], (0,)),
        (pd.Series([1, 2, 3], name="height"), ("height",)),
        (pd.Series([1, 2, 3]), (0,)),
        (pd.DataFrame({"height": [1, 2, 3]}), ("height",)),
        (xr.DataArray([1, 2, 3], dims="case"), (0,)),
    ],
)
def test_numeric_targets_become_a_float64_matrix(y: Any, outputs: tuple) -> None:
    targets = numeric_targets(y)
    assert targets.values.dtype == np.float64
    assert targets.values.tolist() == [[1.0], [2.0], [3.0]]
    assert targets.outputs == outputs
    assert targets.classes is None


def test_several_targets_keep_their_names() -> None:
    assert numeric_targets(FRAME).outputs == ("age", "weight")
    assert numeric_targets(FRAME.to_numpy()).outputs == (0, 1)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            ["a", "b"],
            "y is not numeric, it has texts or categories; for classes use "
            "likelihood='categorical'",
        ),
        ([1.0, np.nan], "y has 1 missing or infinite value(s); drop or fill them"),
        (pd.DataFrame({"h": [np.inf]}), "y has 1 missing or infinite value(s) in column(s) 'h'"),
        (np.ones((2, 2, 2)), "y must have shape (cases,) or (cases, outputs), got shape (2, 2, 2)"),
        (1.0, "y must have shape (cases,) or (cases, outputs), got shape ()"),
    ],
)
def test_bad_numeric_targets_are_refused(y: Any, message: str) -> None:
    refused(message, numeric_targets, y)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        (["b", "a", "c"], ("a", "b", "c"), [1, 0, 2]),
        (np.array([7, 3, 7]), (3, 7), [1, 0, 1]),
        (np.array([[7], [3], [7]]), (3, 7), [1, 0, 1]),
        (np.array([True, False]), (False, True), [1, 0]),
        (pd.Series(["u", "v"], dtype="category"), ("u", "v"), [0, 1]),
        (xr.DataArray(["u", "v"], dims="case"), ("u", "v"), [0, 1]),
        (pd.Series([1, 2.5, 2, 1], dtype=object), (1, 2, 2.5), [0, 2, 1, 0]),
        (pd.Series([*LARGE, 7], dtype="Int64"), (7, *LARGE), [1, 2, 0]),
        ([2**64, 2**64 + 1], (2**64, 2**64 + 1), [0, 1]),
        (np.array([*LARGE, 0.5], dtype=object), (0.5, *LARGE), [1, 2, 0]),
    ],
)
def test_classes_are_coded_in_their_order(y: Any, classes: tuple, codes: list[int]) -> None:
    targets = class_targets(y)
    assert targets.classes == targets.outputs == classes
    assert targets.values.tolist() == codes
    assert targets.values.dtype == np.int64
    # the coding must survive JSON
    assert all(type(c) in (str, int, float, bool) for c in classes)


def test_two_classes_need_one_output_named_after_the_second() -> None:
    targets = class_targets(["no", "yes"], exactly=2)
    assert targets.outputs == ("yes",)
    assert targets.classes == ("no", "yes")


def test_a_known_coding_is_kept_even_if_a_class_does_not_occur() -> None:
    targets = class_targets(["c", "c"], classes=("a", "b", "c"))
    assert targets.values.tolist() == [2, 2]
    assert targets.classes == ("a", "b", "c")
    assert class_targets(np.array(LARGE), classes=(0.5, *LARGE)).values.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"],), "y has one class only, 'a'; two are needed to classify"),
        (([],), "y is empty"),
        ((["a", None, "b"],), "y has 1 missing value(s); drop or fill them"),
        (([np.nan, "a", "b", np.nan],), "y has 2 missing value(s); drop or fill them"),
        (([1, "1", 2],), "y holds text and other labels; make all of them text"),
        (([b"a", "a", b"b"],), "y holds text and other labels; make all of them text"),
        ((deque([1, "1", 2]),), "y holds text and other labels; make all of them text"),
        (([True, 1, 2],), "y holds True or False and other labels; make all of them text"),
        (
            ([2**63, 2**63 + 1, -1],),
            "y holds 9223372036854775809, of which float64 makes 9223372036854775808; make all "
            "labels text",
        ),
        (([*LARGE, 0.5],), "y holds 9007199254740993, of which float64 makes 9007199254740992"),
        (([0.0, np.nan, 1.0, np.nan],), "y has 2 missing value(s); drop or fill them"),
        ((np.eye(3),), "y must hold one class per case, shape (cases,), got (3, 3)"),
        (
            (["a", "b", "c"], None, 2),
            "y has 3 classes, Bernoulli() needs 2; use likelihood='categorical'",
        ),
        (
            (["d", "a"], ("a", "b")),
            "y has the class(es) 'd' that the model was not trained on; it knows 'a', 'b'",
        ),
    ],
)
def test_bad_class_targets_are_refused(arguments: tuple, message: str) -> None:
    refused(message, class_targets, *arguments)


def test_targets_with_the_models_outputs_pass() -> None:
    check_outputs(numeric_targets(FRAME), ("age", "weight"))
    check_outputs(numeric_targets(FRAME.to_numpy()), ("age", "weight"))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (FRAME["age"], "y has 1 column(s), the model has 2 output(s)"),
        (FRAME[["weight", "age"]], "put them in the order 'age', 'weight'"),
    ],
)
def test_targets_with_other_outputs_than_the_model_are_refused(y: Any, message: str) -> None:
    refused(message, check_outputs, numeric_targets(y), ("age", "weight"))
