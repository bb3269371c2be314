"""Reading, checking and splitting the user's table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare, read_table
from pymc_bnn.studies.tables.table import guess_task


def houses(rows: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    size = rng.uniform(20, 200, rows)
    return pd.DataFrame(
        {
            "size": size,
            "kind": np.tile(["flat", "house"], rows)[:rows],
            "price": 1000 * size + rng.normal(size=rows),
        }
    )


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["yes", "no", "no"], "classification"),
        ([True, False, True], "classification"),
        ([0, 1, 2, 1], "classification"),
        ([0.0, 1.0, np.nan, 1.0], "classification"),
        (list(range(11)), "regression"),
        ([0.5, 1.0, 2.0], "regression"),
    ],
)
def test_the_task_is_guessed_from_the_target(values: list, task: str) -> None:
    assert guess_task(pd.Series(values)) == task


def test_a_guess_is_said_aloud_and_can_be_overruled() -> None:
    frame = houses().assign(rooms=np.tile([1, 2, 3, 4], 10))
    guessed = prepare(frame, "rooms")
    assert guessed.encoding.task == "classification"
    assert "Guessed the task from 'rooms': classification (change it with --task)." in guessed.notes
    overruled = prepare(frame, "rooms", "regression")
    assert overruled.encoding.task == "regression"
    assert overruled.notes == ()


def test_likelihoods_suit_the_target() -> None:
    frame = houses()
    assert prepare(frame, "price").likelihood == "gaussian_noise"
    assert prepare(frame, "kind").likelihood == "bernoulli"
    three = frame.assign(kind=np.tile(["a", "b", "c", "a"], 10))
    assert prepare(three, "kind").likelihood == "categorical"


def test_the_split_has_the_asked_share_and_no_row_twice() -> None:
    prepared = prepare(houses(), "price", test_fraction=0.3, seed=5)
    assert (len(prepared.X), len(prepared.X_test)) == (28, 12)
    assert sorted([*prepared.X.index, *prepared.X_test.index]) == list(range(40))
    again = prepare(houses(), "price", test_fraction=0.3, seed=5)
    other = prepare(houses(), "price", test_fraction=0.3, seed=6)
    assert list(again.X.index) == list(prepared.X.index)
    assert list(other.X.index) != list(prepared.X.index)


def test_inputs_and_targets_of_a_row_stay_together() -> None:
    frame = houses()
    prepared = prepare(frame, "price")
    for X, y in ((prepared.X, prepared.y), (prepared.X_test, prepared.y_test)):
        encoding = prepared.encoding
        np.testing.assert_allclose(y * encoding.sd + encoding.mean, frame["price"][X.index])
        size = encoding.columns[0]
        np.testing.assert_allclose(X["size"] * size.sd + size.mean, frame["size"][X.index])


def test_classes_are_split_in_their_proportions() -> None:
    frame = houses().assign(kind=["rare"] * 8 + ["common"] * 32)
    prepared = prepare(frame, "kind")
    assert list(prepared.y_test).count("rare") == 2
    assert list(prepared.y).count("rare") == 6


def test_an_index_with_a_name_is_a_column_of_either_file(tmp_path: Path) -> None:
    days = pd.date_range("2020", periods=3).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "x": [1.0, 2.0, 4.0]}).set_index("day")
    frame.to_csv(tmp_path / "t.csv")
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert list(read_table(tmp_path / name)) == ["day", "x"]


def test_csv_and_parquet_hold_the_same_table(tmp_path: Path) -> None:
    frame = houses()
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    read = [read_table(tmp_path / name) for name in ("t.csv", "t.parquet")]
    for found in read:
        assert list(found) == ["size", "kind", "price"]
        np.testing.assert_allclose(found["size"], frame["size"])
        assert list(found["kind"]) == list(frame["kind"])


def test_ignored_columns_are_no_inputs() -> None:
    prepared = prepare(houses(), "price", ignore=["kind"])
    assert list(prepared.X) == ["size"]


def test_dropped_rows_are_counted() -> None:
    frame = houses()
    frame.loc[[3, 5], "size"] = np.nan
    frame.loc[5, "price"] = np.nan
    prepared = prepare(frame, "price", drop_missing=True)
    assert "Dropped 2 of 40 rows with missing values." in prepared.notes
    assert len(prepared.X) + len(prepared.X_test) == 38


def spoilt(**columns: object) -> pd.DataFrame:
    frame = houses()
    for name, value in columns.items():
        frame[name] = value
    return frame


MISSING = houses()
MISSING.loc[[1, 2], "size"] = np.nan
MISSING.loc[[7], "kind"] = None
INFINITE = houses()
INFINITE.loc[[1], "size"] = -np.inf
RARE = ["a"] * 20 + ["b"] * 17 + ["c"] * 3
RARE_NUMBERS = np.arange(40.0)


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (MISSING, {}, r"missing values in size \(2\), kind \(1\); .* with --drop-missing"),
        (INFINITE, {}, r"infinite values in size \(1\)"),
        (spoilt(size=np.nan), {"drop_missing": True}, "all 40 rows have missing values"),
        (houses(), {"target": "kind", "task": "regression"}, "'kind' is not numeric"),
        (houses(), {"target": "prize"}, "did you mean 'price'"),
        (houses(), {"target": None}, "Name it with --target; there are 'size', 'kind', 'price'"),
        (houses(), {"ignore": ["sise"]}, "did you mean 'size'"),
        (houses(), {"ignore": ["price"]}, "'price' cannot be ignored"),
        (houses(), {"ignore": ["size", "kind"]}, "no column but the target"),
        (houses(), {"task": "regresion"}, "did you mean 'regression'"),
        (houses(), {"task": "classification"}, "40 classes for 40 rows; use --task regression"),
        (spoilt(size=3.0), {}, r"'size' are constant; leave them out with --ignore"),
        (spoilt(price=3.5), {}, "'price' is constant"),
        (spoilt(kind="flat"), {"target": "kind"}, "one class only, 'flat'"),
        (spoilt(kind=["x"] + ["y"] * 39), {"target": "kind"}, "'x' of 'kind' occur once only"),
        (
            spoilt(kind=RARE),
            {"target": "kind", "test_fraction": 0.9},
            "'c' of 'kind' would be absent from training; lower --test-fraction",
        ),
        (spoilt(wait=pd.timedelta_range("1h", periods=40)), {}, "'wait' hold durations"),
        (spoilt(price=pd.date_range("2024", periods=40)), {}, "'price' hold dates"),
        (spoilt(), {"periods": {"size": "year"}}, "--period size=year: column 'size' holds no dat"),
        (spoilt(), {"periods": {"sold": "year"}}, "unknown column with a period 'sold'"),
        (spoilt(), {"drop_missing": True, "mark_missing": True}, "give one of them"),
        (spoilt(), {"periods": ["kind=year"]}, "give columns with theirs, as in"),
        (
            spoilt(kind=[None, "(missing)"] + ["a"] * 38),
            {"mark_missing": True},
            "which is what these are called",
        ),
        (
            spoilt(size=[np.nan] + [1.5, 2.5] * 19 + [1.0], **{"size missing": RARE_NUMBERS}),
            {"mark_missing": True},
            "two inputs of the network would be called 'size missing'",
        ),
        (spoilt(**{"kind=flat": RARE_NUMBERS}), {}, "would be called 'kind=flat'; rename a column"),
        (spoilt(price=[np.nan] + [1.5] * 39), {"mark_missing": True}, "they are of the target"),
        (houses(120).assign(id=[f"n{i}" for i in range(120)]), {}, "leave it out with --ignore id"),
        (houses(5), {}, "5 rows are too few: training and test need at least 2 each"),
        (
            houses(10).assign(kind=list("abcdeabcde")),
            {"target": "kind"},
            "10 rows are too few: training and test need at least 5 each",
        ),
        (houses(), {"test_fraction": 1.5}, "--test-fraction 1.5: give a number between 0 and 1"),
        (houses(), {"test_fraction": 0.0}, "--test-fraction 0.0"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_a_way_out(
    frame: pd.DataFrame, options: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        prepare(frame, **{"target": "price", **options})
    assert "\n" not in str(caught.value)


def test_repeated_column_names_are_refused() -> None:
    frame = houses()
    frame.columns = ["a", "a", "price"]
    with pytest.raises(InputError, match="'a' occur more than once"):
        prepare(frame, "price")


def test_categories_that_do_not_occur_are_no_classes() -> None:
    used = pd.Categorical(["a", "b"] * 20, categories=["a", "b", "unused"])
    assert set(prepare(spoilt(kind=used), "kind").y) == {"a", "b"}
    one = pd.Categorical(["a"] * 40, categories=["a", "unused"])
    with pytest.raises(InputError, match="'kind' has one class only, 'a'"):
        prepare(spoilt(kind=one), "kind")


def test_names_may_be_numbers() -> None:
    named = prepare(houses(), "price")
    frame = houses().set_axis([0, 1, 2], axis=1)
    prepared = prepare(frame, 2)
    np.testing.assert_array_equal(prepared.X, named.X)
    np.testing.assert_array_equal(prepared.encoding.inputs(frame), named.encoding.inputs(houses()))
    for ignored in (1, [1]):
        assert list(prepare(frame, "2", ignore=ignored).X) == ["0"]
    with pytest.raises(InputError, match="unknown target column '3'"):
        prepare(frame, 3)


def test_names_of_several_levels_are_refused() -> None:
    frame = houses().set_axis(pd.MultiIndex.from_product([["a"], houses().columns]), axis=1)
    encoding = prepare(houses(), "price").encoding
    for use in (lambda: prepare(frame, "price"), lambda: encoding.inputs(frame)):
        with pytest.raises(InputError, match="the names of the columns have 2 levels; join them"):
            use()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "cannot read .*t.csv"),
        ("t.csv", b"\x89PNG\r\n\xff\xfe\x00\x01", "cannot read .*t.csv"),
        ("t.csv", b"a,b\n1,2\n1,2,3,4\n", "cannot read .*t.csv"),
        ("t.parquet", b"a,b\n1,2\n", "cannot read .*t.parquet"),
        ("t.csv", b"a,b\n", "t.csv' has no rows"),
    ],
)
def test_a_file_that_is_no_table_is_refused(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("name", ["size", "kind", "price"])
def test_a_column_may_be_called_self(name: str) -> None:
    plain = prepare(houses(), "price")
    frame = houses().rename(columns={name: "self"})
    found = prepare(frame, "self" if name == "price" else "price")
    np.testing.assert_array_equal(found.X, plain.X)
    np.testing.assert_array_equal(found.y, plain.y)
    np.testing.assert_array_equal(found.encoding.inputs(frame), plain.encoding.inputs(houses()))


def test_the_order_of_ordered_classes_alone_is_part_of_the_digest() -> None:
    labels = ["low", "high", "mid", "high"] * 10

    def digest(order: list[str], ordered: bool) -> str:
        return prepare(spoilt(kind=pd.Categorical(labels, order, ordered=ordered)), "kind").digest

    orders = [["low", "mid", "high"], ["high", "mid", "low"], ["low", "high", "mid"]]
    assert len({digest(order, ordered=True) for order in orders}) == 3
    assert digest(orders[0], ordered=True) == digest(list(orders[0]), ordered=True)
    plain = {digest(order, ordered=False) for order in orders}
    assert plain == {prepare(spoilt(kind=labels), "kind").digest}
