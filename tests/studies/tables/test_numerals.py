"""A few texts among numbers are named, and no numbers become categories in silence."""

import re

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies import InputError, prepare

ROWS = 200


def cars(rows: int = ROWS, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({"hp": rng.normal(size=rows), "mpg": rng.normal(size=rows)}).assign(
        **columns
    )


def with_stray(text: str, rows: int = ROWS) -> list[str]:
    return [*map(str, np.arange(rows - 1) / 4), text]


@pytest.mark.parametrize("rows", [40, ROWS])
@pytest.mark.parametrize("text", ["?", "5%", "1,5", "n.a."])
def test_a_text_among_numbers_is_refused_by_name(text: str, rows: int) -> None:
    said = (
        rf"^column 'hp' is of numbers, but '{text}' in 1 of {rows} rows is no number; "
        "write a number there, or nothing and use --mark-missing or --drop-missing\\.$"
    )
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        prepare(cars(rows, hp=with_stray(text, rows)), "mpg")


def test_all_texts_among_numbers_are_counted() -> None:
    commas = [f"{row},5" for row in range(ROWS)]
    with pytest.raises(InputError, match=f"'0,5' and others in {ROWS} of {ROWS} rows are none"):
        prepare(cars(hp=commas), "mpg")
    twice = [*with_stray("?", ROWS - 1), "?"]
    with pytest.raises(InputError, match=r"'\?' in 2 of 200 rows is no number"):
        prepare(cars(hp=twice), "mpg")


@pytest.mark.parametrize("task", [None, "regression", "classification"])
def test_a_text_among_the_numbers_of_the_target_is_named(task: str | None) -> None:
    with pytest.raises(InputError, match=r"column 'mpg' is of numbers, but '\?' in 1 of 200 rows"):
        prepare(cars(mpg=with_stray("?")), "mpg", task)


def test_a_text_among_objects_is_named() -> None:
    objects = pd.Series([*range(ROWS - 1), "?"], dtype=object)
    for column in ("hp", "mpg"):
        with pytest.raises(InputError, match=rf"column '{column}' is of numbers, but '\?' in 1"):
            prepare(cars(**{column: objects}), "mpg")


def test_a_text_among_the_numbers_of_new_rows_is_named() -> None:
    encoding = prepare(cars(), "mpg").encoding
    with pytest.raises(InputError, match=r"column 'hp' has '\?', which is no number; write one"):
        encoding.inputs(cars(hp=with_stray("?")))


def test_numbers_as_texts_are_said_to_be() -> None:
    texts = [*map(str, range(ROWS))]
    said = "holds numbers as texts; turn them into numbers, as by pandas.to_numeric"
    for column in ("hp", "mpg"):
        with pytest.raises(InputError, match=f"column '{column}' {said}"):
            prepare(cars(**{column: texts}), "mpg")
    with pytest.raises(InputError, match=f"column 'mpg' {said}"):
        prepare(cars(mpg=texts), "mpg", "regression")
    notes = prepare(cars(40, hp=texts[:40]), "mpg", "regression").notes
    assert notes == (
        "Took 'hp' for categories, as it holds numbers as texts; pandas.to_numeric makes them "
        "numbers.",
    )


@pytest.mark.parametrize(
    "categories",
    [
        [f"A{row}" if row % 2 else f"{row}B" for row in range(20)] * 2,
        ["1", "2", "3", "?"] * 10,
        pd.Categorical([*map(str, range(39)), "?"]),
        [True, False] * 20,
    ],
    ids=["codes", "few", "categories of pandas", "truth values"],
)
def test_true_categories_stay_so_in_silence(categories: object) -> None:
    prepared = prepare(cars(40, kind=categories), "mpg", "regression")
    assert prepared.encoding.columns[1].categories is not None
    assert prepared.notes == ()


def test_digits_may_be_classes() -> None:
    digits = pd.Series([*map(str, np.arange(ROWS) % 10)])
    assert prepare(cars(mpg=digits), "mpg").encoding.task == "classification"
    strays = digits.where(np.arange(ROWS) % 50 != 0, "?")
    assert set(prepare(cars(mpg=strays), "mpg", "classification").y) == {*digits, "?"}


@pytest.mark.parametrize(
    "written",
    [
        "{},000,000",
        "{},234.5",
        "{} 000",
        "{}\N{NO-BREAK SPACE}000,5",
        "{}\N{NARROW NO-BREAK SPACE}000",
        "{}\N{THIN SPACE}000",
        "{}'000.5",
        "{}.000.000,5",
        "{}.234,5",
        "\N{MINUS SIGN}{}",
        "({})",
        "({},000)",
    ],
)
def test_numbers_written_otherwise_are_refused_beside_numbers_and_told_alone(written: str) -> None:
    alone = [written.format(k % 40) for k in range(80)]
    assert prepare(cars(80, hp=alone), "mpg", "regression").notes == (
        f"Took 'hp' for categories, as it holds {alone[0]!r}; write its numbers without units or "
        "marks, as 10.5, and they are numbers.",
    )
    beside = [text if k % 2 == 0 else f"{950 + k % 40}" for k, text in enumerate(alone)]
    said = re.escape(f"column 'hp' is of numbers, but {beside[0]!r} and others in 40 of")
    with pytest.raises(InputError, match=said):
        prepare(cars(80, hp=beside), "mpg")


@pytest.mark.parametrize("mark", ["{} kg", "{}k", "{} m/s", "<{}", "> {}", "~{}.5", "1,{:03} km"])
def test_numbers_with_units_or_marks_are_told(mark: str) -> None:
    texts = [mark.format(k % 40) for k in range(80)]
    assert prepare(cars(80, hp=texts), "mpg", "regression").notes == (
        f"Took 'hp' for categories, as it holds {texts[0]!r}; write its numbers without units or "
        "marks, as 10.5, and they are numbers.",
    )


@pytest.mark.parametrize("text", ["<5", "5 kg", "$5"])
def test_a_few_units_or_marks_among_numbers_are_told(text: str) -> None:
    texts = [text if k % 3 == 0 else f"{k % 40}.25" for k in range(80)]
    notes = prepare(cars(80, hp=texts), "mpg", "regression").notes
    assert [note.split(";")[0] for note in notes] == [
        f"Took 'hp' for categories, as it holds {text!r}"
    ]


@pytest.mark.parametrize(
    "code", ["({},{})", "(0{})", "0{} 456", "732 {:03} 100", "1'{}00", "3.{}.{}", "400.1{}.20{}"]
)
def test_codes_of_digits_stay_categories(code: str) -> None:
    texts = [code.format(10 + k % 12, k % 3) for k in range(240)]
    assert prepare(cars(240, hp=texts), "mpg", "regression").encoding.columns[0].categories
    assert prepare(cars(240, mpg=texts), "mpg").encoding.task == "classification"


@pytest.mark.parametrize("code", ["A{}", "{:02x}", "192.168.0.{}", "0.2.{}", "{}+", "#{}", "{}-A"])
def test_codes_are_categories_in_silence(code: str) -> None:
    texts = [code.format(7 * (k % 30)) for k in range(90)]
    assert prepare(cars(90, hp=texts), "mpg", "regression").notes == ()


@pytest.mark.parametrize("code", ["{}wd", "{} doors", "555 123 00{}", "(55{})", "<{}", "{} 000"])
def test_a_few_texts_are_categories_in_silence(code: str) -> None:
    texts = [code.format(k % 9) for k in range(90)]
    assert prepare(cars(90, hp=texts), "mpg", "regression").notes == ()


def test_letters_after_some_numbers_are_codes() -> None:
    texts = [f"{k % 30}a" if k % 3 == 0 else f"{k % 30}" for k in range(90)]
    assert prepare(cars(90, hp=texts), "mpg", "regression").notes == ()


@pytest.mark.parametrize("share", [0.12, 0.4])
def test_a_text_in_many_rows_of_numbers_is_named(share: float) -> None:
    unknown = np.arange(ROWS) % 100 < 100 * share
    many = pd.Series(np.where(unknown, "unknown", np.arange(ROWS).astype(str)))
    said = r"'{}' holds numbers, but also 'unknown'; write a number there, or {}\.$"
    nothing = "nothing and use --mark-missing or --drop-missing, or leave the column out with "
    with pytest.raises(InputError, match=said.format("hp", f"{nothing}--ignore hp")):
        prepare(cars(hp=many), "mpg")
    with pytest.raises(InputError, match=said.format("mpg", "drop these rows")):
        prepare(cars(mpg=many), "mpg", "regression")
    objects = pd.Series(
        ["unknown" if text else 7 * k for k, text in enumerate(unknown)], dtype=object
    )
    for column in ("hp", "mpg"):
        with pytest.raises(InputError, match=said.format(column, "drop these rows")):
            prepare(cars(**{column: objects}), "mpg")
    few = pd.Series(np.where(unknown, "unknown", (np.arange(ROWS) % 13).astype(str)))
    assert prepare(cars(hp=few), "mpg", "regression").notes == (
        "Took 'hp' for categories, as it holds 'unknown' among numbers; write a number there, or "
        "nothing and use --mark-missing or --drop-missing, and they are numbers.",
    )


@pytest.mark.parametrize(("others", "different"), [(0.6, 13), (0.2, 9)])
def test_few_numbers_among_texts_are_categories_in_silence(others: float, different: int) -> None:
    rows = np.arange(ROWS)
    texts = np.where(rows % 100 < 100 * others, "other", (rows % different).astype(str))
    assert prepare(cars(hp=texts), "mpg", "regression").notes == ()


@pytest.mark.parametrize(
    "ranges", [["18-25", "26 - 40", "41 to 65", "66+"], ["<5", "5\N{EN DASH}9", "9-12", "13-20"]]
)
def test_ranges_of_numbers_are_told(ranges: list[str]) -> None:
    texts = [ranges[k % 4] for k in range(80)]
    first = next(text for text in ranges if text[0] != "<")
    assert prepare(cars(80, hp=texts), "mpg", "regression").notes == (
        f"Took 'hp' for categories, as it holds {first!r}; write the middle of each range, and "
        "they are numbers.",
    )


@pytest.mark.parametrize(
    "codes",
    [
        ["3-1", "1-2", "1-3"],
        ["18-25", "26-40", "old"],
        ["1-2", "2-3"],
        ["5-1234", "6-1789", "7-1888"],
    ],
)
def test_codes_with_a_dash_are_categories_in_silence(codes: list[str]) -> None:
    texts = [codes[k % len(codes)] for k in range(90)]
    assert prepare(cars(90, hp=texts), "mpg", "regression").notes == ()


def test_names_of_rows_are_told_where_they_are_too_few_to_be_refused() -> None:
    names = [f"car {chr(65 + k)}" for k in range(24)]
    assert prepare(cars(40, hp=[*names, *16 * ["other"]]), "mpg", "regression").notes == (
        "Took 'hp' for categories, 24 of which occur once; if they name rows, leave it out with "
        "--ignore hp.",
    )
    assert prepare(cars(40, hp=[*names[:20], *20 * ["other"]]), "mpg", "regression").notes == ()
