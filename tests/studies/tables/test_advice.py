"""What a message says to do can be done as it is written."""

import shlex
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare
from pymc_bnn.studies.tables.dates import named_periods
from pymc_bnn.studies.tables.target_likelihood import likelihood_for

ROWS = 40


def houses(rows: int, **columns: object) -> pd.DataFrame:
    size = np.random.default_rng(1).uniform(20, 200, rows)
    kind = np.tile(["flat", "house"], rows)[:rows]
    return pd.DataFrame({"size": size, "kind": kind, "price": 1000 * size}).assign(**columns)


DAYS = pd.date_range("2024-01-01", periods=119)
TEST_ROWS = pd.Series(range(120)).isin(prepare(houses(120), "price").X_test.index)


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("which looks like an identifier", [f"n{row}" for row in range(120)]),
        ("holds dates, but for 'soon'", ["soon", *map(str, DAYS.date)]),
        ("holds '0 kg', which looks like a number", [f"{row} kg" for row in range(120)]),
        (
            r"holds numbers, but also '\?'",
            ["?" if row % 5 == 0 else str(row) for row in range(120)],
        ),
        ("is constant in float64", 2**60 + np.arange(120)),
        ("has no value in the training rows", TEST_ROWS.astype(float).where(TEST_ROWS)),
    ],
)
def test_what_a_message_says_to_leave_out_is_a_word_of_the_shell(said: str, values: Any) -> None:
    with pytest.raises(InputError, match=rf"^column 'Sold to' .*{said}.* --ignore 'Sold to'\.$"):
        prepare(houses(120, **{"Sold to": values}), "price", mark_missing=True)


def test_a_column_that_is_constant_but_for_missing_values_is_marked() -> None:
    gaps = np.arange(ROWS) % 3 == 0
    frame = houses(ROWS, pool=np.where(gaps, None, "yes"), sold=np.where(gaps, np.nan, 3.0))
    found = prepare(frame, "price", mark_missing=True).encoding.inputs(frame)
    np.testing.assert_array_equal(found["pool=(missing)"], gaps)
    np.testing.assert_array_equal(found["sold missing"], gaps)
    assert (found["sold"] == 0).all()
    for nothing in (None, np.nan):
        with pytest.raises(InputError, match="'pool' are constant; leave them out"):
            prepare(houses(ROWS, pool=nothing), "price", mark_missing=True)


def test_marks_are_not_offered_where_the_target_misses_values() -> None:
    frame = houses(ROWS).mask(np.arange(ROWS)[:, None] == np.array([7, 7, 3]))
    said = (
        r"size \(1\), kind \(1\), price \(1\); fill them, or drop these rows with --drop-missing\.$"
    )
    with pytest.raises(InputError, match=said):
        prepare(frame, "price")


@pytest.mark.parametrize("name", ["poisson", "negative_binomial"])
def test_counts_that_are_all_zero_in_training_are_refused(name: str) -> None:
    counts = np.zeros(ROWS, dtype=int)
    counts[prepare(houses(ROWS), "price").X_test.index[0]] = 1
    prepared = prepare(houses(ROWS, price=counts), "price", "counts")
    with pytest.raises(InputError, match="counts of 'price' are all 0 in the 30 training rows"):
        likelihood_for(prepared, name)


def test_what_a_note_says_of_periods_is_a_word_of_the_shell() -> None:
    days = pd.date_range("2020-01-01", periods=ROWS, freq="9D")
    frame = pd.DataFrame({"sold on": days, "price": np.sin(np.arange(ROWS))})
    [note] = [note for note in prepare(frame, "price").notes if "--period" in note]
    said = shlex.split(note.split("--period ")[1])[0]
    assert said == "sold on=year"
    assert "sold on, sine of the year" in prepare(frame, "price", periods=named_periods([said])).X
