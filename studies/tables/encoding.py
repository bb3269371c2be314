"""Turn a table into numbers for a network, and remember how."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

from ..errors import InputError
from .checks import check_no_infinite, check_no_missing, is_categorical, listed
from .dates import as_dates, cycle, decimal_years, is_dates

MISSING = "(missing)"
RARE = ("dates", "period", "marked")


@dataclass(frozen=True)
class Column:
    """How one column of a table becomes inputs.

    Parameters
    ----------
    name : str
        Name of the column.
    mean, sd : float
        Of a numeric column, over the training rows; of dates, in decimal years.
    categories : list or None
        Of a categorical column; each becomes an input of 0 or 1.
    dates : bool
        Whether it holds dates.
    period : str or None
        Of dates, a period whose sine and cosine are inputs too.
    marked : bool
        Whether values may be missing: they have the mean of the column, or a category of their
        own, and an input says so.
    """

    name: str
    mean: float = 0.0
    sd: float = 1.0
    categories: list | None = None
    dates: bool = False
    period: str | None = None
    marked: bool = False

    def encode(self, values: pd.Series) -> pd.DataFrame:
        """Turn the column into inputs."""
        if self.categories is None:
            numbers = decimal_years(values) if self.dates else values.to_numpy(np.float64)
            return self.encode_numbers(numbers, values.index)
        labels = labels_of(values)
        return pd.DataFrame(
            {f"{self.name}={c}": (labels == c).astype(np.float64) for c in self.categories}
        )

    def encode_numbers(self, numbers: np.ndarray, index: pd.Index | None = None) -> pd.DataFrame:
        """Turn numbers of the column, of dates decimal years, into inputs.

        Parameters
        ----------
        numbers : ndarray, shape (rows,)
            Numbers in the unit of the table.
        index : Index, optional
            Labels of the rows.

        Returns
        -------
        DataFrame

        Examples
        --------
        >>> import numpy as np
        >>> from pymc_bnn.studies.tables.encoding import Column
        >>> Column("age", 50.0, 10.0, marked=True).encode_numbers(np.array([60.0, np.nan]))
           age  age missing
        0  1.0          0.0
        1  0.0          1.0
        """
        inputs = {self.name: (numbers - self.mean) / self.sd}
        if self.period is not None:
            found = cycle(numbers, self.period)
            inputs |= {f"{self.name}, {what}": value for what, value in found.items()}
        if self.marked:
            missing = np.isnan(numbers)
            inputs = {name: np.where(missing, 0.0, value) for name, value in inputs.items()}
            inputs[f"{self.name} missing"] = missing.astype(np.float64)
        return pd.DataFrame(inputs, index=index)

    @property
    def width(self) -> int:
        """How many inputs it becomes."""
        if self.categories is not None:
            return len(self.categories)
        return 1 + 2 * (self.period is not None) + self.marked

    def to_dict(self) -> dict[str, Any]:
        """Describe it; what few columns have is left out where this one has it not."""
        found = asdict(self)
        return {key: found[key] for key in found if key not in RARE or found[key]}


def labels_of(values: pd.Series) -> pd.Series:
    """Categories as texts; what is missing has one of its own."""
    return values.astype(str).where(values.notna(), MISSING)


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
        missing = [c.name for c in self.columns if c.name not in frame.columns]
        if missing:
            raise InputError(f"the table lacks the column(s) {listed(missing)}.")
        used = {c.name: as_dates(frame[c.name]) if c.dates else frame[c.name] for c in self.columns}
        complete = {c.name: used[c.name] for c in self.columns if not c.marked}
        check_no_missing(pd.DataFrame(complete), hint="drop these rows")
        check_no_infinite(pd.DataFrame(used))
        for column in self.columns:
            self._check(column, used[column.name])
        return pd.concat([c.encode(used[c.name]) for c in self.columns], axis=1)

    @staticmethod
    def _check(column: Column, values: pd.Series) -> None:
        if column.categories is not None:
            unknown = sorted(set(labels_of(values)) - set(column.categories))
            if unknown:
                raise InputError(
                    f"column {column.name!r} has the unseen value(s) {listed(unknown[:5])}; "
                    f"the model knows {listed(column.categories[:10])}."
                )
        elif column.dates:
            if not is_dates(values):
                raise InputError(f"column {column.name!r} must hold dates, as it did in training.")
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
            categories = sorted(set(labels_of(values)))
            columns.append(Column(name, categories=categories, marked=marked))
        else:
            dates = is_dates(values)
            mean, sd = _moments(decimal_years(values) if dates else values, training)
            columns.append(Column(name, mean, sd, None, dates, (periods or {}).get(name), marked))
    mean, sd = _moments(frame[target], training) if task == "regression" else (0.0, 1.0)
    return Encoding(tuple(columns), target, task, mean, sd)


def _moments(
    values: pd.Series | np.ndarray, training: Sequence[int] | np.ndarray
) -> tuple[float, float]:
    numbers = np.asarray(values, np.float64)
    known = numbers[training]
    known = known[~np.isnan(known)]
    if not len(known):
        raise InputError("a column has no value in the training rows; leave it out with --ignore.")
    return float(known.mean()), float(known.std() or np.nanstd(numbers))
