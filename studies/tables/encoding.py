"""Turn a table into numbers for a network, and remember how."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_complex_dtype, is_numeric_dtype

from ..errors import InputError
from .checks import check_no_missing, is_categorical, listed


@dataclass(frozen=True)
class Column:
    """How one column of a table becomes inputs.

    Parameters
    ----------
    name : str
        Name of the column.
    mean, sd : float
        Of a numeric column, over the training rows.
    categories : list or None
        Of a categorical column; each becomes an input of 0 or 1.
    """

    name: str
    mean: float = 0.0
    sd: float = 1.0
    categories: list | None = None

    def encode(self, values: pd.Series) -> pd.DataFrame:
        """Turn the column into inputs."""
        if self.categories is None:
            return pd.DataFrame({self.name: (values.astype(np.float64) - self.mean) / self.sd})
        labels = values.astype(str)
        return pd.DataFrame(
            {f"{self.name}={c}": (labels == c).astype(np.float64) for c in self.categories}
        )


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
        used = frame[[c.name for c in self.columns]]
        check_no_missing(used, hint="")
        for column in self.columns:
            self._check(column, used[column.name])
        return pd.concat([c.encode(used[c.name]) for c in self.columns], axis=1)

    @staticmethod
    def _check(column: Column, values: pd.Series) -> None:
        if column.categories is not None:
            unknown = sorted(set(values.astype(str)) - set(column.categories))
            if unknown:
                raise InputError(
                    f"column {column.name!r} has the unseen value(s) {listed(unknown[:5])}; "
                    f"the model knows {listed(column.categories[:10])}."
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
        return asdict(self)

    @staticmethod
    def from_dict(description: dict[str, Any]) -> "Encoding":
        """Rebuild an encoding from :meth:`to_dict`."""
        columns = tuple(Column(**c) for c in description["columns"])
        return Encoding(**{**description, "columns": columns})


def learn_encoding(
    frame: pd.DataFrame, target: str, task: str, training: Sequence[int] | np.ndarray
) -> Encoding:
    """Learn how to encode a table: means and scales from its training rows.

    Parameters
    ----------
    frame : DataFrame
        A checked table, without missing values.
    target : str
        Name of the target column.
    task : {"regression", "classification", "counts"}
        What to do with it.
    training : sequence of int
        Positions of the training rows.

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
        values = frame[name]
        if is_categorical(values):
            columns.append(Column(name, categories=sorted(set(values.astype(str)))))
        else:
            mean, sd = _moments(values, training)
            columns.append(Column(name, mean, sd))
    mean, sd = _moments(frame[target], training) if task == "regression" else (0.0, 1.0)
    return Encoding(tuple(columns), target, task, mean, sd)


def _moments(values: pd.Series, training: Sequence[int] | np.ndarray) -> tuple[float, float]:
    numbers = values.to_numpy(np.float64)
    chosen = numbers[training]
    return float(chosen.mean()), float(chosen.std() or numbers.std())
