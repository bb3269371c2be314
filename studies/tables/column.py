"""How a column of a table becomes inputs of a network."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import InputError
from .dates import as_dates, cycle, decimal_years, has_zone, is_dates
from .numbers import as_categories, as_numbers, numbers_as_truth, truth_as_numbers

MISSING = "(missing)"
TRUTH_VALUES = {"True", "False", MISSING}
RARE = {"dates": False, "period": None, "marked": False, "zoned": None}


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
    zoned : bool or None
        Of dates, whether they have a time zone; None if it is not known, as in older fits.
    """

    name: str
    mean: float = 0.0
    sd: float = 1.0
    categories: list | None = None
    dates: bool = False
    period: str | None = None
    marked: bool = False
    zoned: bool | None = None

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
        >>> from pymc_bnn.studies.tables.column import Column
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

    def numbers_or_dates(self, values: pd.Series) -> pd.Series:
        """Texts that are dates as these, numbers as those of NumPy; what misses all as it was.

        Truth values are read from Excel as 0 and 1 if one is missing, whatever they were before.
        """
        if self.categories is not None:
            values = as_categories(values)
            return values if self.holds_texts else numbers_as_truth(values)
        if self.marked and values.isna().all():
            return pd.Series(np.nan, values.index).astype("datetime64[us]" if self.dates else float)
        if self.dates:
            return self._moments(values)
        return as_numbers(truth_as_numbers(values) if self._may_be_truth() else values)

    def _may_be_truth(self) -> bool:
        """Whether mean and deviation in training are those of zeros and ones."""
        return bool(np.isclose(self.sd**2, self.mean * (1 - self.mean))) or self.mean in (0.0, 1.0)

    def _moments(self, values: pd.Series) -> pd.Series:
        moments = as_dates(values)
        if is_dates(moments) and self.zoned not in (None, has_zone(moments)):
            found, known = ("no", "one") if self.zoned else ("a", "none")
            raise InputError(
                f"the dates of column {self.name!r} have {found} time zone, and had {known} in "
                "training; give them as they were."
            )
        return moments

    @property
    def holds_texts(self) -> bool:
        """Whether it has categories, and not just those of a column of truth values."""
        return self.categories is not None and not set(self.categories) <= TRUTH_VALUES

    @property
    def width(self) -> int:
        """How many inputs it becomes."""
        if self.categories is not None:
            return len(self.categories)
        return 1 + 2 * (self.period is not None) + self.marked

    def to_dict(self) -> dict[str, Any]:
        """Describe it; what few columns have is left out where this one has it not."""
        found = asdict(self)
        return {key: found[key] for key in found if key not in RARE or found[key] != RARE[key]}


def labels_of(values: pd.Series) -> pd.Series:
    """Categories as texts; what is missing has one of its own."""
    return values.astype(str).where(values.notna(), MISSING)
