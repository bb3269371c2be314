"""Numbers of rows are no inputs in silence."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import Prepared, prepare, read_table

ROWS = 60
LEFT_OUT = "Left out the first column, which counts the rows; give it a name to keep it."


def houses(**columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"size": rng.normal(size=ROWS), "price": rng.normal(size=ROWS)})
    return pd.DataFrame({**columns, **frame})


def saved(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    frame.to_csv(path)
    return read_table(path)


def prepared(frame: pd.DataFrame) -> Prepared:
    return prepare(frame, "price", "regression")


@pytest.mark.parametrize(
    "index",
    [range(ROWS), range(1, ROWS + 1)],
    ids=["from 0", "from 1"],
)
def test_saved_numbers_of_rows_are_left_out(tmp_path: Path, index: object) -> None:
    once = saved(houses().set_axis(list(index), axis=0), tmp_path / "t.csv")
    for table in (once, saved(once, tmp_path / "t.csv")):
        found = prepared(table)
        assert list(found.X) == ["size"]
        assert found.notes == (LEFT_OUT,)


@pytest.mark.parametrize(
    "index",
    [
        range(0, 2 * ROWS, 2),
        range(1980, 1980 + ROWS),
        range(ROWS, 0, -1),
        np.random.default_rng(3).permutation(ROWS),
    ],
    ids=["filtered", "years", "reversed", "shuffled"],
)
def test_what_may_number_rows_or_be_a_quantity_is_told(tmp_path: Path, index: object) -> None:
    found = prepared(saved(houses().set_axis(list(index), axis=0), tmp_path / "t.csv"))
    assert list(found.X) == ["Unnamed: 0", "size"]
    [note] = found.notes
    assert note.startswith("Took 'Unnamed: 0' for an input; if it only numbers rows")


@pytest.mark.parametrize(
    "index", [[1, *range(1, ROWS)], np.arange(ROWS) / 2], ids=["repeated", "not whole"]
)
def test_an_index_that_cannot_number_rows_stays_an_input(tmp_path: Path, index: object) -> None:
    table = saved(houses().set_axis(list(index), axis=0), tmp_path / "t.csv")
    assert list(prepared(table).X) == ["Unnamed: 0", "size"]
    assert prepared(table).notes == ()


@pytest.mark.parametrize("name", ["id", "index"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_named_column_that_counts_the_rows_is_told(name: str, first: int) -> None:
    found = prepared(houses(**{name: np.arange(first, first + ROWS)}))
    assert list(found.X) == [name, "size"]
    assert found.notes == (f"Column {name!r} counts the rows; leave it out with --ignore {name}.",)


def test_after_an_index_that_is_left_out_a_column_may_count_the_rows(tmp_path: Path) -> None:
    found = prepared(saved(houses(id=range(ROWS)), tmp_path / "t.csv"))
    assert list(found.X) == ["id", "size"]
    assert [note.split()[0] for note in found.notes] == ["Left", "Column"]


@pytest.mark.parametrize("values", [range(2, ROWS + 2), range(0, 2 * ROWS, 2), range(ROWS, 0, -1)])
def test_named_columns_of_other_whole_numbers_are_inputs_in_silence(values: object) -> None:
    found = prepared(houses(built=values))
    assert list(found.X) == ["built", "size"]
    assert found.notes == ()


def test_what_a_note_says_to_leave_out_is_a_word_of_the_shell() -> None:
    found = prepared(houses(**{"Row number": np.arange(ROWS)}))
    assert found.notes == (
        "Column 'Row number' counts the rows; leave it out with --ignore 'Row number'.",
    )


def test_a_target_may_count_the_rows() -> None:
    table = pd.DataFrame({"rank": range(ROWS), "size": houses()["size"]})
    assert prepare(table, "rank", "regression").notes == ()
