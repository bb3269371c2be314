"""Columns of pandas' and Arrow's own types are those of NumPy."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pymc_bnn.studies import prepare
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
