"""Turn a table into numbers for a network, and remember how."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

from ..errors import InputError
from .checks import (
    check_no_infinite,
    check_no_missing,
    is_categorical,
    listed,
    with_text_names,
)
from .column import MISSING, Column, labels_of
from .constants import has_scale, is_constant
from .dates import decimal_years, has_zone, is_dates
from .numerals import strays


@dataclass(frozen=True)
class Encoding:
    """How a table becomes inputs and targets of a network.

    Parameters
    ----------
    columns : tuple of Column
        The input columns.
    target : str
        Name of the target column.
    task : {"regression", "classification", "counts"}
        What to do with the target.
    mean, sd : float
        Of the target of a regression, over the training rows.
    """

    columns: tuple[Column, ...]
    target: str
    task: str
    mean: float = 0.0
    sd: float = 1.0

    def inputs(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Encode the input columns of a table.

        Parameters
        ----------
        frame : DataFrame
            A table that has all columns; others are ignored.

        Returns
        -------
        DataFrame
            One column per input of the network.

        Raises
        ------
        InputError
            If a column is missing, is not numeric, or has an unknown category or a missing or
            infinite value.
        """
        frame = with_text_names(frame)
        missing = [c.name for c in self.columns if c.name not in frame.columns]
        if missing:
            raise InputError(f"the table lacks the column(s) {listed(missing)}.")
        repeated = frame.columns[frame.columns.duplicated()]
        if twice := [c.name for c in self.columns if c.name in repeated]:
            raise InputError(f"column name(s) {listed(twice)} occur more than once.")
        used = {c.name: c.numbers_or_dates(frame[c.name]) for c in self.columns}
        complete = {c.name: used[c.name] for c in self.columns if not c.marked}
        check_no_missing(pd.DataFrame(complete), hint="drop these rows")
        check_no_infinite(pd.DataFrame(used))
        for column in self.columns:
            self._check(column, used[column.name])
        return pd.concat([c.encode(used[c.name]) for c in self.columns], axis=1)

    @staticmethod
    def _check(column: Column, values: pd.Series) -> None:
        if column.categories is not None:
            own = {MISSING} if column.marked else set()
            known = [label for label in column.categories if label not in own]
            unknown = sorted(set(values.dropna().astype(str)) - set(known))
            if own.intersection(unknown):
                raise InputError(
                    f"column {column.name!r} has the text {MISSING!r}, which is what missing "
                    "values are called; leave it empty there."
                )
            if unknown:
                raise InputError(
                    f"column {column.name!r} has the unseen value(s) {listed(unknown[:5])}; "
                    f"the model knows {listed(known[:10])}."
                )
        elif column.dates:
            if not is_dates(values):
                raise InputError(f"column {column.name!r} must hold dates, as it did in training.")
        elif found := strays(values):
            raise InputError(
                f"column {column.name!r} has {found[0]!r}, which is no number; write one there."
            )
        elif not is_numeric_dtype(values) or is_bool_dtype(values) or is_complex_dtype(values):
            raise InputError(f"column {column.name!r} must be numeric, as it was in training.")

    def targets(self, values: pd.Series) -> np.ndarray | pd.Series:
        """Encode the target column: standardised numbers, or classes and counts as they are."""
        if self.task == "classification":
            return values
        return (values.to_numpy(np.float64) - self.mean) / self.sd

    def to_dict(self) -> dict[str, Any]:
        """Describe the encoding in JSON-able values."""
        return {**asdict(self), "columns": [column.to_dict() for column in self.columns]}

    @staticmethod
    def from_dict(description: dict[str, Any]) -> "Encoding":
        """Rebuild an encoding from :meth:`to_dict`."""
        columns = tuple(Column(**c) for c in description["columns"])
        return Encoding(**{**description, "columns": columns})


def learn_encoding(
    frame: pd.DataFrame,
    target: str,
    task: str,
    training: Sequence[int] | np.ndarray,
    periods: Mapping[str, str] | None = None,
) -> Encoding:
    """Learn how to encode a table: means and scales from its training rows.

    Parameters
    ----------
    frame : DataFrame
        A checked table; columns that have missing values are marked.
    target : str
        Name of the target column.
    task : {"regression", "classification", "counts"}
        What to do with it.
    training : sequence of int
        Positions of the training rows.
    periods : mapping of str to str, optional
        Periods of columns of dates.

    Returns
    -------
    Encoding

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.encoding import learn_encoding
    >>> frame = pd.DataFrame({"size": [1.0, 3.0], "kind": ["a", "b"], "price": [10.0, 30.0]})
    >>> learn_encoding(frame, "price", "regression", [0, 1]).inputs(frame).columns.tolist()
    ['size', 'kind=a', 'kind=b']
    """
    columns = []
    for name in frame.columns.drop(target):
        values, marked = frame[name], bool(frame[name].isna().any())
        if is_categorical(values):
            if marked and (values == MISSING).any():
                raise InputError(
                    f"column {name!r} has missing values and the text {MISSING!r}, which is what "
                    "these are called; replace one of both."
                )
            categories = sorted(set(labels_of(values)))
            columns.append(Column(name, categories=categories, marked=marked))
        else:
            dates = is_dates(values)
            numbers = decimal_years(values) if dates else values.to_numpy(np.float64)
            zoned = has_zone(values) if dates else None
            period = (periods or {}).get(name)
            columns.append(
                Column(name, *_moments(name, numbers, training), None, dates, period, marked, zoned)
            )
    mean, sd = _moments(target, frame[target], training) if task == "regression" else (0.0, 1.0)
    return Encoding(tuple(columns), target, task, mean, sd)


def _moments(
    name: str, values: pd.Series | np.ndarray, training: Sequence[int] | np.ndarray
) -> tuple[float, float]:
    numbers, ignore = np.asarray(values, np.float64), f"--ignore {quote(name)}"
    known = numbers[training]
    known = known[~np.isnan(known)]
    if not len(known):
        raise InputError(
            f"column {name!r} has no value in the training rows; leave it out with {ignore}."
        )
    if is_constant(numbers) and np.isnan(numbers[training]).any():
        return float(known[0]), 1.0  # its mark varies
    if is_constant(numbers):
        raise InputError(
            f"column {name!r} is constant in float64; subtract an offset, or {ignore}."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(known.mean())
        sd = float(np.nanstd(numbers) if is_constant(known) else known.std())
    if not has_scale(mean, sd):
        raise InputError(
            f"column {name!r} has numbers whose squares float64 does not hold; rescale it."
        )
    return mean, sd
