"""Dates and missing values of a table, by stated rules."""

import re
from collections.abc import Mapping
from shlex import quote

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from ...models.data.choices import choose
from ..errors import InputError, one_line_errors
from .checks import (
    DROP,
    DROP_OR_MARK,
    NUMBER_OR_NOTHING,
    check_kinds,
    check_lines,
    check_no_infinite,
    check_no_missing,
    is_categorical,
    listed,
    with_columns,
)
from .dates import PERIODS, as_dates, is_dates, stray_text
from .numbers import as_categories, as_floats, as_numbers
from .numerals import (
    LEAST_DISTINCT,
    are_numerals,
    check_no_stray,
    looks_like_measure,
    looks_like_other,
    looks_like_range,
    text_among_numbers,
)

UNNAMED = re.compile(r"(Unnamed: 0(\.\d+)?)?")  # one for each time that pandas wrote the table


def without_row_numbers(frame: pd.DataFrame, target: str, notes: list[str]) -> pd.DataFrame:
    """Leave out a first column without a name that numbers the rows, as pandas writes it.

    Rows that were chosen or shuffled before keep their numbers, which may also be years: these are
    kept, and a note says so, as one does of a first column with a name that counts the rows.

    Parameters
    ----------
    frame : DataFrame
        A table.
    target : str
        Its target column.
    notes : list of str
        To which is added what was left out.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.cleaning import without_row_numbers
    >>> notes = []
    >>> table = pd.DataFrame({"Unnamed: 0": [0, 1, 2], "size": [7, 8, 5], "price": [9, 7, 9]})
    >>> list(without_row_numbers(table, "price", notes)), len(notes)
    (['size', 'price'], 1)
    """
    left = frame
    while UNNAMED.fullmatch(left.columns[0]) and left.columns[0] != target:
        if not _counts_rows(left.iloc[:, 0]):
            break
        left = left.iloc[:, 1:]
    if left is not frame:
        notes.append("Left out the first column, which counts the rows; give it a name to keep it.")
    first = left.columns[0]
    if first != target and _counts_rows(left[first]):
        notes.append(
            f"Column {first!r} counts the rows; leave it out with --ignore {quote(first)}."
        )
    elif first != target and UNNAMED.fullmatch(first) and _numbers_rows(left[first]):
        notes.append(
            f"Took {first!r} for an input; if it only numbers rows that were chosen or shuffled, "
            f"leave it out with --ignore {quote(first)}."
        )
    return left


def _numbers_rows(values: pd.Series) -> bool:
    """Whether values are whole numbers that all differ."""
    whole = is_integer_dtype(values) and not values.isna().any()
    return bool(whole and values.is_unique)


def _counts_rows(values: pd.Series) -> bool:
    """Whether values are 0, 1, 2, ... or 1, 2, 3, ..."""
    if values.empty or not _numbers_rows(values):
        return False
    numbers = values.to_numpy(np.int64)
    return numbers[0] in (0, 1) and np.array_equal(numbers, numbers[0] + np.arange(len(numbers)))


def with_dates(
    frame: pd.DataFrame, target: str, periods: Mapping[str, str], notes: list[str]
) -> pd.DataFrame:
    """Turn columns of dates and numbers, but for the target, into moments and numbers of NumPy.

    Parameters
    ----------
    frame : DataFrame
        A table.
    target : str
        Its target column.
    periods : mapping of str to str
        Periods of columns.
    notes : list of str
        To which is added what was found.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If a column with a period holds no dates, or another one what is neither numbers nor texts,
        or numbers but for few texts.
    """
    if not isinstance(periods, Mapping):
        raise InputError(
            f"periods={periods!r}: give columns with theirs, as in {{'sold': 'year'}}."
        )
    for name in frame:
        check_lines(frame[name])
    frame = with_columns(frame, {name: as_floats(as_categories(frame[name])) for name in frame})
    found = {name: as_numbers(as_dates(frame[name])) for name in frame if name != target}
    dates = [name for name, values in found.items() if is_dates(values)]
    for name, period in periods.items():
        with one_line_errors():
            choose("period", period, PERIODS)
            choose("column with a period", name, frame.columns)
        if name not in dates:
            stray = None if name == target else stray_text(frame[name])
            held = "no dates" if stray is None else f"{stray!r}, which is no date"
            raise InputError(f"--period {name}={period}: column {name!r} holds {held}.")
    for values in found.values():
        check_no_stray(values, NUMBER_OR_NOTHING)
    check_kinds(frame.drop(columns=dates))
    _note_strays(found, notes)
    if dates:
        notes.append(
            f"Took {listed(dates)} for dates, which are decimal years, of UTC where they have a "
            f"zone; --period {quote(f'{dates[0]}=year')} adds where in the year they are."
        )
    return with_columns(frame, found)


def _note_strays(columns: Mapping[str, pd.Series], notes: list[str]) -> None:
    for name, values in columns.items():
        if (why := _why_categories(values)) is not None:
            notes.append(f"Took {name!r} for categories, {why}.")


def _why_categories(values: pd.Series) -> str | None:
    """Why a column has categories that looks like one of dates or numbers, and the mend."""
    if (text := stray_text(values)) is not None:
        return f"not for dates, as it holds {text!r}; replace that text, and they are dates"
    if are_numerals(values):
        return "as it holds numbers as texts; pandas.to_numeric makes them numbers"
    if (text := looks_like_other(values)) is not None:
        mend = "write dates as 2024-03-01 and amounts as 1000.5, and they are dates and numbers"
    elif (text := looks_like_measure(values)) is not None:
        mend = "write its numbers without units or marks, as 10.5, and they are numbers"
    elif (text := looks_like_range(values)) is not None:
        mend = "write the middle of each range, and they are numbers"
    elif (text := text_among_numbers(values)) is not None:
        return f"as it holds {text!r} among numbers; {NUMBER_OR_NOTHING}, and they are numbers"
    elif (once := _occur_once(values)) is not None:
        leave = f"--ignore {quote(str(values.name))}"
        return f"{once} of which occur once; if they name rows, leave it out with {leave}"
    return None if text is None else f"as it holds {text!r}; {mend}"


def _occur_once(values: pd.Series) -> int | None:
    """How many categories of a column are of one row only, where most of its rows are so."""
    if isinstance(values.dtype, pd.CategoricalDtype) or not is_categorical(values):
        return None
    once = int((values.value_counts() == 1).sum())
    return once if once > max(values.notna().sum() / 2, LEAST_DISTINCT) else None


def without_missing(
    frame: pd.DataFrame, target: str, drop: bool, mark: bool, notes: list[str]
) -> pd.DataFrame:
    """Drop or accept missing values as asked, or refuse them.

    Parameters
    ----------
    frame : DataFrame
        A table.
    target : str
        Its target column, of which no value may be missing.
    drop, mark : bool
        What to do with rows that have missing values.
    notes : list of str
        To which is added what was done.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If values are missing and nothing was asked for, or both, or are infinite.
    """
    if drop and mark:
        raise InputError("--drop-missing and --mark-missing: give one of them.")
    if drop:
        frame, before = frame.dropna(), len(frame)
        notes.append(f"Dropped {before - len(frame)} of {before} rows with missing values.")
        if frame.empty:
            raise InputError(f"all {before} rows have missing values; leave columns out first.")
    if mark:
        check_no_missing(frame[[target]], hint="drop these rows first, as they are of the target")
        counts = frame.isna().sum()
        some = [f"{name} ({n})" for name, n in counts[counts > 0].items()]
        notes.append(f"Marked missing values in {', '.join(some)}." if some else "None is missing.")
    else:
        check_no_missing(frame, DROP if frame[target].isna().any() else DROP_OR_MARK)
    check_no_infinite(frame)
    return frame


def note_repeated(frame: pd.DataFrame, notes: list[str]) -> None:
    """Say how many rows repeat others, which may then lie in training and in test cases.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.cleaning import note_repeated
    >>> notes = []
    >>> note_repeated(pd.DataFrame({"a": [1, 1, 2], "y": [3, 3, 3]}), notes)
    >>> print(*notes)
    1 of 3 rows repeats another: drop it if it is the same case, as a test case that was trained on flatters.
    """  # noqa: E501
    if repeated := int(frame.duplicated().sum()):
        which, it = ("repeats another", "it is") if repeated == 1 else ("repeat others", "they are")
        drop = "it" if repeated == 1 else "them"
        notes.append(
            f"{repeated} of {len(frame)} rows {which}: drop {drop} if {it} the same case, as a "
            "test case that was trained on flatters."
        )
