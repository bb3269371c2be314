"""Checks of a table, each with one line that says what is wrong and how to mend it."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import NoReturn

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from ...models.data.numbers import TEXTS, kind_of
from ..errors import InputError
from .constants import is_constant
from .dates import is_dates, stray_text
from .numerals import (
    are_numerals,
    check_no_stray,
    looks_like_measure,
    looks_like_other,
    text_among_numbers,
)

MOST_CATEGORIES = 50
DROP = "drop these rows with --drop-missing"
DROP_OR_MARK = f"{DROP}, or mark them with --mark-missing"
NUMBER_OR_DROP = "write a number there, or drop these rows"
NUMBER_OR_NOTHING = "write a number there, or nothing and use --mark-missing or --drop-missing"


def is_categorical(values: pd.Series) -> bool:
    """Whether a column holds categories rather than numbers or dates."""
    return is_bool_dtype(values) or not (is_numeric_dtype(values) or is_dates(values))


def with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Turn names of columns into texts, and refuse those of several levels."""
    if isinstance(frame.columns, pd.MultiIndex):
        raise InputError(
            f"the names of the columns have {frame.columns.nlevels} levels; join them into one, as "
            "in frame.columns = frame.columns.map('_'.join)."
        )
    return frame.rename(columns=str)


def with_columns(frame: pd.DataFrame, columns: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Replace columns, also one that is called ``self``, which ``assign`` does not take."""
    frame = frame.copy()
    for name, values in columns.items():
        frame[name] = values
    return frame


def check_lines(values: pd.Series) -> None:
    """Refuse texts that are rows of a file, as a quote that is not closed makes of them.

    Parameters
    ----------
    values : Series
        A column of a table.

    Raises
    ------
    InputError
        If there is such a text.
    """
    if values.dtype.kind in "iufbmM":
        return
    texts = [text for text in values if isinstance(text, str)]
    several = [text for text in texts if "\n" in text.strip() and "," in text]
    if several:
        raise InputError(
            f"column {values.name!r} has a text of several lines, {several[0][:40]!r}; look for a "
            "quote that is not closed, or leave the column out."
        )


def check_no_missing(frame: pd.DataFrame, hint: str = DROP_OR_MARK) -> None:
    """Refuse missing values, and name their columns."""
    counts = frame.isna().sum()
    if counts.any():
        found = ", ".join(f"{name} ({n})" for name, n in counts[counts > 0].items())
        raise InputError(f"missing values in {found}; fill them, or {hint}.")


def check_no_infinite(frame: pd.DataFrame) -> None:
    """Refuse infinite values, and name their columns."""
    numeric = frame.select_dtypes("number", exclude="complex")
    infinite = np.isinf(numeric.to_numpy(np.float64)).sum(axis=0)
    if infinite.any():
        pairs = zip(numeric.columns, infinite, strict=True)
        found = ", ".join(f"{name} ({n})" for name, n in pairs if n)
        raise InputError(f"infinite values in {found}; replace them.")


def check_kinds(frame: pd.DataFrame) -> None:
    """Refuse columns of what is neither numbers nor texts, such as durations."""
    kinds = {name: kind_of(frame[name]) for name in frame}
    odd = {name: kind for name, kind in kinds.items() if kind not in (None, TEXTS)}
    for name in odd:
        _check_no_text(frame[name], NUMBER_OR_DROP)
    if odd:
        kind = next(iter(odd.values()))
        names = listed([name for name, other in odd.items() if other == kind])
        raise InputError(f"column(s) {names} hold {kind}; turn them into numbers first.")


def check_target(values: pd.Series, task: str) -> None:
    """Refuse targets that cannot be learnt, and say why."""
    if task == "classification":
        _check_classes(values)
        return
    if not is_numeric_dtype(values):
        _check_numerals(values)
        raise InputError(f"the target {values.name!r} is not numeric; use --task classification.")
    if values.nunique() < 2:
        raise InputError(f"the target {values.name!r} is constant; there is nothing to learn.")
    if is_constant(values.to_numpy(np.float64)):
        raise InputError(
            f"the target {values.name!r} is constant in float64; subtract an offset from it."
        )
    if task == "counts" and ((values < 0) | (values % 1 != 0)).any():
        raise InputError(
            f"the target {values.name!r} holds what is no count; counts are whole numbers from "
            "0 on; use --task regression."
        )


def _check_classes(values: pd.Series) -> None:
    counts = values.value_counts()
    counts = counts[counts > 0]  # categories may be unused
    if len(counts) == 1:
        only = listed(counts.index)
        raise InputError(f"the target {values.name!r} has one class only, {only}.")
    if len(counts) > len(values) / 2:
        _check_numerals(values)
        raise InputError(
            f"the target {values.name!r} has {len(counts)} classes for {len(values)} rows; "
            "use --task regression."
        )
    rare = [str(label) for label, n in counts.items() if n < 2]
    if rare:
        raise InputError(
            f"class(es) {listed(rare)} of {values.name!r} occur once only, and would be absent "
            "from training or test; merge or drop them."
        )


def _check_numerals(values: pd.Series, mend: str = NUMBER_OR_DROP) -> None:
    """Refuse texts that are numbers, all or most of them."""
    _check_no_text(values, mend)
    if are_numerals(values):
        raise InputError(
            f"column {values.name!r} holds numbers as texts; turn them into numbers, as by "
            "pandas.to_numeric."
        )


def _check_no_text(values: pd.Series, mend: str) -> None:
    """Refuse numbers with texts among them, be these few or nearly half."""
    check_no_stray(values, mend)
    if (text := text_among_numbers(values)) is not None:
        raise InputError(f"column {values.name!r} holds numbers, but also {text!r}; {mend}.")


def check_columns(frame: pd.DataFrame, target: str) -> None:
    """Refuse columns that a network cannot learn from, and say why."""
    inputs = frame.drop(columns=target)
    if inputs.shape[1] == 0:
        raise InputError(f"the table has no column but the target {target!r}.")
    # what misses some has a mark, which varies
    constant = [name for name in frame if frame[name].nunique(dropna=False) < 2]
    if constant:
        raise InputError(
            f"column(s) {listed(constant)} are constant; leave them out with --ignore."
        )
    for name in inputs:
        if is_categorical(inputs[name]) and inputs[name].nunique() > MOST_CATEGORIES:
            _refuse_texts(inputs[name])


def _refuse_texts(values: pd.Series) -> NoReturn:
    """Say of texts that are too many for categories what they look like."""
    name, leave = values.name, f"leave the column out with --ignore {quote(str(values.name))}"
    if (stray := stray_text(values)) is not None:
        raise InputError(f"column {name!r} holds dates, but for {stray!r}; replace it, or {leave}.")
    if (text := looks_like_other(values) or looks_like_measure(values)) is not None:
        raise InputError(
            f"column {name!r} holds {text!r}, which looks like a number or a date with marks; "
            f"write numbers as 10.5 and dates as 2024-03-01, or {leave}."
        )
    _check_numerals(values, f"{NUMBER_OR_NOTHING}, or {leave}")
    raise InputError(
        f"column {name!r} has {values.nunique()} different texts, which looks like an identifier; "
        f"{leave.replace('the column', 'it')}."
    )


def check_inputs(inputs: pd.DataFrame) -> None:
    """Refuse inputs of one name, as of a column that is called as another's category or mark."""
    twice = inputs.columns[inputs.columns.duplicated()]
    if len(twice):
        raise InputError(
            f"two inputs of the network would be called {listed(twice)}; rename a column."
        )


def listed(names: Sequence) -> str:
    """Names in quotes, separated by commas."""
    return ", ".join(repr(str(name)) for name in names)
