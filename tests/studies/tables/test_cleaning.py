"""Dates and missing values become inputs, in tables and in rows to predict."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.studies import InputError, predict_table, prepare, read_table
from pymc_bnn.studies.fits.fit_store import TABLE_ATTRIBUTE
from pymc_bnn.studies.tables.column import MISSING
from pymc_bnn.studies.tables.dates import as_dates, cycle, days, decimal_years, named_periods
from pymc_bnn.studies.tables.encoding import Encoding

ROWS = 60
DAYS = pd.date_range("2019-12-20", periods=ROWS, freq="9D")


def sales(**columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    table = {"sold": DAYS, "kind": np.tile(["a", "b"], ROWS)[:ROWS], "size": rng.normal(size=ROWS)}
    return pd.DataFrame({**table, "price": rng.normal(size=ROWS), **columns})


@pytest.mark.parametrize(
    "days_as",
    [
        DAYS,
        DAYS.strftime("%Y-%m-%d"),
        DAYS.strftime("%Y-%m-%dT%H:%M"),
        DAYS.tz_localize("UTC"),
        DAYS.to_period("D"),
        list(DAYS.date),
    ],
    ids=["moments", "texts", "times", "zone", "period", "objects"],
)
def test_dates_are_decimal_years_however_they_are_written(days_as: Any) -> None:
    prepared = prepare(sales(sold=days_as), "price")
    column = prepared.encoding.columns[0]
    back = prepared.X["sold"] * column.sd + column.mean
    expected = DAYS.year + (DAYS.day_of_year - 1) / np.where(DAYS.is_leap_year, 366, 365)
    np.testing.assert_allclose(back, expected[prepared.X.index], atol=1e-9)
    assert any("Took 'sold' for dates" in note for note in prepared.notes)


def test_dates_of_long_ago_are_dates() -> None:
    prepared = prepare(sales(sold=["1066-10-14", "1500-01-01"] * (ROWS // 2)), "price")
    column = prepared.encoding.columns[0]
    found = prepared.X["sold"] * column.sd + column.mean
    assert set(found.round(2)) == {1066.78, 1500.0}


def test_texts_that_are_no_dates_stay_categories() -> None:
    spans = ["2019-01-01 10:00-12:00", "2019-01-02 09:30-10:00"]
    for texts in (["2019", "2020"], ["2019-01-01", "never"], ["1-2", "3-4"], spans):
        values = pd.Series(np.tile(texts, 3))
        assert as_dates(values).tolist() == values.tolist()


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2019-01-01T10:00-05:00", 15),
        ("2019-01-01 10:00:00-05:00", 15),
        ("2019-01-01 10:00+05:00", 5),
        ("2019-01-01 10:00Z", 10),
        ("2019-01-01 10:00", 10),
    ],
)
def test_times_with_a_zone_are_not_taken_for_spans(text: str, hour: int) -> None:
    zone = None if text.endswith(" 10:00") else "UTC"
    assert as_dates(pd.Series([text])).tolist() == [pd.Timestamp(2019, 1, 1, hour, tz=zone)]


def test_a_text_among_dates_is_named() -> None:
    dates = [*DAYS.strftime("%Y-%m-%d")[:9], "soon"] * 6
    prepared = prepare(sales(sold=dates), "price")
    said = "Took 'sold' for categories, not for dates, as it holds 'soon'; --period"
    assert len([note for note in prepared.notes if note.startswith(said[:-10])]) == 1
    assert not any(
        "Took" in note
        for note in prepare(sales(sold=["no date"] * 59 + ["2019-01-01"]), "price").notes
    )
    many = [*DAYS.strftime("%Y-%m-%d")[1:], "never"]
    with pytest.raises(InputError, match=r"'sold' holds dates, but for 'never'; replace it"):
        prepare(sales(sold=many), "price")


NUMBERS = np.random.default_rng(5).normal(size=ROWS).round(3)


@pytest.mark.parametrize(
    "numbers",
    [
        [Decimal(str(number)) for number in NUMBERS],
        pd.Series(list(NUMBERS), dtype=object),
        pd.Series(NUMBERS, dtype="Float64"),
    ],
    ids=["decimals", "objects", "nullable"],
)
def test_numbers_of_any_type_are_numbers(numbers: Any) -> None:
    plain = prepare(sales(size=NUMBERS), "price")
    pd.testing.assert_frame_equal(prepare(sales(size=numbers), "price").X, plain.X)
    found = prepare(sales(price=numbers), "price")
    assert found.encoding.task == "regression"
    np.testing.assert_array_equal(found.y, prepare(sales(price=NUMBERS), "price").y)
    new = sales(size=numbers).drop(columns="price")
    pd.testing.assert_frame_equal(
        plain.encoding.inputs(new), plain.encoding.inputs(sales(size=NUMBERS))
    )


@pytest.mark.parametrize(
    ("texts", "first"),
    [
        ([f"{1 + k % 28}/04/2020" for k in range(ROWS)], "1/04/2020"),
        ([f"{1 + k % 28}.4.20" for k in range(ROWS)], "1.4.20"),
        ([f"${k % 30},000" for k in range(ROWS)], "$0,000"),
        ([f"{k % 30}.5 \N{EURO SIGN}" for k in range(ROWS)], "0.5 \N{EURO SIGN}"),
    ],
)
def test_dates_and_amounts_that_are_taken_for_categories_are_told(
    texts: list[str], first: str
) -> None:
    told = [note for note in prepare(sales(kind=texts), "price").notes if "write dates as" in note]
    assert told == [
        f"Took 'kind' for categories, as it holds {first!r}; write dates as 2024-03-01 and amounts "
        "as 1000.5, and they are dates and numbers."
    ]


def test_codes_are_not_told_for_amounts() -> None:
    for code in ("A-{}", "192.168.0.{}", "0.2.{}", "{}+", "({})", "#{}", "10.0.0.{}"):
        codes = [code.format(k % 30) for k in range(ROWS)]
        notes = prepare(sales(kind=codes), "price").notes
        assert not any("write dates as" in note for note in notes), code


def test_a_category_may_have_two_lines() -> None:
    kinds = np.tile(["New\nYork", "b"], ROWS)[:ROWS]
    assert "kind=New\nYork" in prepare(sales(kind=kinds), "price").X


def test_a_quote_that_is_not_closed_is_told(tmp_path: Path) -> None:
    rows = [f"{'ab'[k % 2]},{k}.5" for k in range(20)]
    rows[3], rows[9] = '"a,3.5', 'b",9.5'
    (tmp_path / "t.csv").write_text("\n".join(["kind,price", *rows]))
    with pytest.raises(InputError, match=r"'kind' has a text of several lines, 'a,3.5\\na,4.5"):
        prepare(read_table(tmp_path / "t.csv"), "price")


def test_numbers_that_miss_some_are_numbers() -> None:
    holed = [pd.NA if row == 3 else number for row, number in enumerate(NUMBERS)]
    gaps = pd.Series(holed, dtype="Float64"), pd.Series(holed, dtype=object)
    expected = prepare(
        sales(size=np.where(np.arange(ROWS) == 3, np.nan, NUMBERS)), "price", mark_missing=True
    )
    for size in gaps:
        with pytest.raises(InputError, match=r"missing values in size \(1\)"):
            prepare(sales(size=size), "price")
        found = prepare(sales(size=size), "price", mark_missing=True)
        pd.testing.assert_frame_equal(found.X, expected.X)


def test_classes_that_are_whole_numbers_stay_whole() -> None:
    classes = pd.Series([1, 2] * (ROWS // 2), dtype=object)
    prepared = prepare(sales(price=classes), "price")
    assert prepared.encoding.task == "classification"
    assert sorted(set(prepared.y)) == [1, 2]
    assert prepared.y.dtype == np.int64


def test_a_column_without_a_value_in_training_is_named() -> None:
    frame = sales()
    frame["size"] = np.nan
    frame.loc[prepare(sales(), "price").X_test.index[:3], "size"] = [1.0, 2.0, 3.0]
    with pytest.raises(
        InputError, match=r"^column 'size' has no value in the training rows; leave"
    ):
        prepare(frame, "price", mark_missing=True)


@pytest.mark.parametrize(
    ("periods", "said"),
    [
        ({"sold": "yaer"}, "unknown period 'yaer'; did you mean 'year'"),
        ({"slod": "year"}, "unknown column with a period 'slod'; did you mean 'sold'"),
    ],
)
def test_a_period_that_cannot_be_is_an_error_of_the_input(periods: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        prepare(sales(), "price", periods=periods)
    if "sold" in periods:
        with pytest.raises(InputError, match=said):
            named_periods(["sold=yaer"])


def test_other_names_that_cannot_be_are_errors_of_the_input() -> None:
    for given in ({"target": "prize"}, {"task": "regresion"}, {"ignore": ["sizes"]}):
        with pytest.raises(InputError, match="did you mean"):
            prepare(sales(), **{"target": "price", **given})


@pytest.mark.parametrize(("period", "length"), [("year", 365.25), ("week", 7.0), ("day", 1.0)])
def test_a_period_comes_back_to_where_it_was(period: str, length: float) -> None:
    years = 2020 + np.linspace(0, 3, 5000)
    sine, cosine = cycle(years, period).values()
    np.testing.assert_allclose(sine**2 + cosine**2, 1.0)
    later = cycle(years + length / 365.25, period) if period == "year" else None
    turned = np.unwrap(np.arctan2(sine, cosine))[-1] - np.arctan2(sine, cosine)[0]
    if period == "year":
        assert later is not None
        np.testing.assert_allclose(later["sine of the year"], sine, atol=1e-9)
        assert turned / (2 * np.pi) == pytest.approx(3.0)
    if period == "week":
        assert turned / (2 * np.pi) == pytest.approx(np.ptp(days(years)) / 7)


def test_days_and_years_are_inverse() -> None:
    moments = pd.Series(pd.date_range("1899-12-31", "2101-01-01", freq="13h"))
    elapsed = (moments - pd.Timestamp("1970-01-01")) / pd.Timedelta("1D")
    np.testing.assert_allclose(days(decimal_years(moments)), elapsed, atol=1e-8)


def test_where_in_the_year_a_date_is_becomes_two_inputs() -> None:
    prepared = prepare(sales(), "price", periods={"sold": "year"})
    names = ["sold", "sold, sine of the year", "sold, cosine of the year"]
    assert list(prepared.X)[:3] == names
    assert prepared.encoding.columns[0].width == 3
    summer = prepared.X[names[2]][DAYS[prepared.X.index].month == 7]
    assert (summer < -0.8).all()


def test_missing_values_have_the_mean_and_are_marked() -> None:
    frame = sales()
    frame.loc[[1, 8], "size"] = np.nan
    frame.loc[4, "kind"] = None
    frame.loc[5, "sold"] = pd.NaT
    with pytest.raises(InputError, match="or mark them with --mark-missing"):
        prepare(frame, "price")
    prepared = prepare(frame, "price", mark_missing=True)
    inputs = pd.concat([prepared.X, prepared.X_test]).sort_index()
    assert inputs["size missing"].to_numpy().nonzero()[0].tolist() == [1, 8]
    assert inputs.loc[[1, 8], "size"].tolist() == [0.0, 0.0]
    assert inputs[f"kind={MISSING}"].to_numpy().nonzero()[0].tolist() == [4]
    assert inputs["sold missing"].to_numpy().nonzero()[0].tolist() == [5]
    size = prepared.encoding.columns[2]
    assert size.mean == pytest.approx(frame["size"][prepared.X.index].mean())
    assert sum(c.width for c in prepared.encoding.columns) == inputs.shape[1]
    assert any("sold (1), kind (1), size (2)" in note for note in prepared.notes)


def test_columns_that_miss_nothing_are_encoded_as_ever() -> None:
    plain, marked = (prepare(sales(), "price", mark_missing=m) for m in (False, True))
    pd.testing.assert_frame_equal(plain.X, marked.X)
    assert plain.digest == marked.digest
    known = {"name", "mean", "sd", "categories"}
    described = plain.encoding.to_dict()["columns"]
    assert set(described[2]) == known
    assert set(described[0]) == known | {"dates", "zoned"}
    assert Encoding.from_dict(plain.encoding.to_dict()) == plain.encoding


def test_new_rows_may_miss_what_training_rows_did() -> None:
    frame = sales()
    frame.loc[[1, 8], "size"] = np.nan
    prepared = prepare(frame, "price", periods={"sold": "week"}, mark_missing=True)
    model = models.gaussian(prepared.X, prepared.y, hidden=())
    idata = samplers.sample(
        model, draws=120, tune=50, chains=2, cores=1, seed=1, progressbar=False, quiet=True
    )
    described = {"name": "t", "source": "", "encoding": prepared.encoding.to_dict()}
    idata.attrs[TABLE_ATTRIBUTE] = pd.Series([described]).to_json(orient="records")[1:-1]
    new = sales(sold=DAYS.strftime("%Y-%m-%d")).iloc[:4]
    found = predict_table(idata, new.assign(size=[np.nan, 0.1, 0.2, 0.3]))
    assert np.isfinite(found.to_numpy()).all()
    for spoilt, said in (
        (
            new.assign(kind=[None, "a", "b", "a"]),
            r"missing values in kind \(1\); fill them, or drop",
        ),
        (new.assign(sold="tomorrow"), "column 'sold' must hold dates"),
        (new.assign(size=[np.inf, 0.1, 0.2, 0.3]), "infinite values in size"),
    ):
        with pytest.raises(InputError, match=said):
            predict_table(idata, spoilt)


def test_new_rows_may_miss_a_whole_column() -> None:
    frame = sales()
    for row, name in enumerate(("sold", "kind", "size")):
        frame.loc[row, name] = None
    encoding = prepare(frame, "price", mark_missing=True).encoding
    for nothing in (None, np.nan):
        empty = pd.DataFrame({name: [nothing, nothing] for name in ("sold", "kind", "size")})
        inputs = encoding.inputs(empty)
        assert (inputs[["sold missing", f"kind={MISSING}", "size missing"]] == 1.0).all(axis=None)
        assert (inputs[["sold", "size"]] == 0.0).all(axis=None)
    with pytest.raises(InputError, match=r"'kind' has the text '\(missing\)', which is what"):
        encoding.inputs(sales(kind=MISSING))
    with pytest.raises(InputError, match=r"unseen value\(s\) 'c'; the model knows 'a', 'b'\.$"):
        encoding.inputs(sales(kind="c"))
    doubled = pd.concat([sales(), sales()[["size"]]], axis=1)
    with pytest.raises(InputError, match="'size' occur more than once"):
        encoding.inputs(doubled)


def test_the_first_sheet_of_excel_is_a_table(tmp_path: Path) -> None:
    sales().to_excel(tmp_path / "sales.xlsx", index=False)
    found = prepare(read_table(tmp_path / "sales.xlsx"), "price")
    pd.testing.assert_frame_equal(found.X, prepare(sales(), "price").X)


@pytest.mark.parametrize("value", [Decimal("Infinity"), Decimal("1E400"), float("inf")])
def test_infinite_targets_are_refused_whatever_type_they_have(value: object) -> None:
    frame = sales()
    kind = type(value)
    prices = [value, *(kind(price) for price in frame["price"][1:])]
    frame["price"] = pd.Series(prices, dtype=object)
    with pytest.raises(InputError, match=r"infinite values in price \(1\)"):
        prepare(frame, "price")


def test_whole_numbers_beyond_floats_are_refused_in_a_line() -> None:
    frame = sales()
    frame["size"] = pd.Series([10**400] * len(frame), dtype=object)
    with pytest.raises(InputError, match="column 'size' has whole numbers above "):
        prepare(frame, "price")


def test_periods_that_are_objects_are_refused_in_a_line() -> None:
    frame = sales()
    frame["month"] = pd.Series([pd.Period("2024-03")] * len(frame), dtype=object)
    with pytest.raises(InputError, match="month"):
        prepare(frame, "price")
