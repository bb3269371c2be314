"""Columns of pandas' and Arrow's own types are those of NumPy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pymc_bnn.studies import InputError, prepare
from pymc_bnn.studies.tables.numbers import as_numbers
from pymc_bnn.studies.tables.table import guess_task

ROWS = 40
SIZE = np.random.default_rng(4).normal(size=ROWS)
COUNTS = np.arange(ROWS) % 13
KINDS = ["a", "b"] * (ROWS // 2)
DICTIONARY = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))


@pytest.mark.parametrize("kind", ["Int64", "Int8", "UInt64", "int64[pyarrow]", "Sparse[int64]"])
def test_whole_numbers_stay_whole(kind: str) -> None:
    found = as_numbers(pd.Series(COUNTS, name="n").astype(kind))
    assert isinstance(found.dtype, np.dtype)
    assert found.dtype.kind in "iu"
    assert found.name == "n"
    assert found.tolist() == COUNTS.tolist()


@pytest.mark.parametrize("kind", ["Float64", "double[pyarrow]", "Int64", "int64[pyarrow]"])
def test_what_misses_some_becomes_floats(kind: str) -> None:
    found = as_numbers(pd.Series([1, None, 3], dtype=kind))
    np.testing.assert_array_equal(found, [1.0, np.nan, 3.0])
    assert found.dtype == np.float64


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
@pytest.mark.parametrize(
    ("target", "task"),
    [
        ("size", "regression"),
        ("count", "counts"),
        ("count", "regression"),
        ("truth", "classification"),
        ("kind", "classification"),
    ],
)
def test_tables_of_other_types_are_prepared_as_those_of_numpy(
    backend: str, target: str, task: str
) -> None:
    plain = pd.DataFrame({"size": SIZE, "count": COUNTS, "kind": KINDS, "truth": COUNTS > 5})
    other = plain.convert_dtypes(dtype_backend=backend)
    expected, found = prepare(plain, target, task), prepare(other, target, task)
    pd.testing.assert_frame_equal(found.X, expected.X)
    assert list(found.y) == list(expected.y)
    pd.testing.assert_frame_equal(found.encoding.inputs(plain), expected.encoding.inputs(other))
    assert guess_task(other[target]) == guess_task(plain[target])


def test_a_dictionary_of_arrow_is_categories() -> None:
    plain = pd.DataFrame({"kind": KINDS, "size": SIZE})
    other = plain.astype({"kind": DICTIONARY})
    expected, found = prepare(plain, "size"), prepare(other, "size")
    pd.testing.assert_frame_equal(found.X, expected.X)
    pd.testing.assert_frame_equal(found.encoding.inputs(plain), expected.encoding.inputs(other))
    assert list(prepare(other, "kind").y) == list(prepare(plain, "kind").y)
    other.loc[2, "kind"] = None
    marked = prepare(other, "size", mark_missing=True)
    assert marked.encoding.columns[0].categories == ["(missing)", "a", "b"]
    assert marked.encoding.inputs(other)["kind=(missing)"].tolist() == [0, 0, 1] + [0] * 37


@pytest.mark.parametrize("name", ["size", "count"])
def test_nan_of_arrow_is_missing(name: str) -> None:
    plain = pd.DataFrame({"size": SIZE, "count": COUNTS * 1.5})
    holed = plain[name].where(plain.index != 7)
    arrow = pd.Series(pd.array(pa.array(holed, from_pandas=False), pd.ArrowDtype(pa.float64())))
    assert not arrow.isna().any()
    frame = plain.assign(**{name: arrow})
    with pytest.raises(InputError, match=rf"missing values in {name} \(1\); fill them"):
        prepare(frame, "size", "regression")
    found = prepare(frame, "size", "regression", drop_missing=True)
    assert found.notes[0] == "Dropped 1 of 40 rows with missing values."
    assert np.isfinite([*found.y, *found.y_test]).all()


def test_whole_classes_stay_whole_where_rows_are_dropped() -> None:
    classes = pd.Series([None, *[1, 2] * (ROWS // 2)][:ROWS], dtype="Int64")
    found = prepare(pd.DataFrame({"size": SIZE, "kind": classes}), "kind", drop_missing=True)
    assert found.y.dtype == np.int64


TRUTH = pd.Series([None, True, False, True] * (ROWS // 4), dtype=object)


@pytest.mark.parametrize("backend", ["objects", "floats", "boolean", "bool[pyarrow]"])
@pytest.mark.parametrize("trained", ["objects", "floats", "boolean"])
def test_truth_values_are_known_whether_excel_read_them_as_numbers(
    trained: str, backend: str
) -> None:
    def garden(kind: str) -> pd.Series:
        given = {"objects": object, "floats": float}.get(kind, kind)
        return TRUTH.where(TRUTH.notna(), np.nan if kind == "floats" else None).astype(given)

    frame = pd.DataFrame({"garden": garden(trained), "size": SIZE})
    encoding = prepare(frame, "size", mark_missing=True).encoding
    expected = encoding.inputs(frame)
    pd.testing.assert_frame_equal(
        encoding.inputs(pd.DataFrame({"garden": garden(backend)})), expected
    )
    complete = TRUTH[1:4].astype(bool)  # of which Excel and CSV make truth values
    found = encoding.inputs(pd.DataFrame({"garden": complete}))
    pd.testing.assert_frame_equal(found, expected[1:4])


def test_other_numbers_are_no_truth_values() -> None:
    encoding = prepare(pd.DataFrame({"garden": COUNTS > 5, "size": SIZE}), "size").encoding
    with pytest.raises(
        InputError, match=r"unseen value\(s\) '0', '1', '2'; the model knows 'False', 'True'"
    ):
        encoding.inputs(pd.DataFrame({"garden": [0, 1, 2]}))


def test_truth_values_are_none_of_other_numbers() -> None:
    encoding = prepare(pd.DataFrame({"garden": COUNTS, "size": SIZE}), "size").encoding
    with pytest.raises(InputError, match="'garden' must be numeric, as it was in training"):
        encoding.inputs(pd.DataFrame({"garden": [True, False]}))
