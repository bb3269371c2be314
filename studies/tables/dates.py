"""Dates as numbers: decimal years, and where they are in a period."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype

from ...models.data.choices import choose
from ...models.data.numbers import TEXTS, kind_of
from ..errors import InputError, one_line_errors

# A year alone is a number already. Of 2024-03-01 10:00-12:00 the last part ends a span, and is
# no zone, for which one writes a T or seconds.
ISO = r"\d{4}-\d{2}(-\d{2}( (?!\d{2}:\d{2}-)\d{2}:\d{2}.*|T\d{2}:\d{2}.*)?)?"
ZONE = r"\d{2}:\d{2}.*(Z|[+-]\d{2}(:?\d{2})?)$"
PERIODS = {"year": 365.2425, "week": 7.0, "day": 1.0}  # days


def as_dates(values: pd.Series) -> pd.Series:
    """Turn a column of dates, or of texts that all are dates, into moments.

    Parameters
    ----------
    values : Series
        A column of a table; texts are dates if they begin as in 2024-03 or 2024-03-01.

    Returns
    -------
    Series
        Of ``datetime64``, of UTC if any of them has a zone; what holds other things is returned as
        it is.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.dates import as_dates
    >>> as_dates(pd.Series(["2024-03-01", None])).dt.month.tolist()[0]
    3.0
    >>> as_dates(pd.Series(["2024", "2025"])).tolist()
    ['2024', '2025']
    """
    kind, known = kind_of(values), values.dropna()
    if isinstance(values.dtype, pd.PeriodDtype):
        return values.dt.to_timestamp()
    texts = kind == TEXTS and len(known) and known.astype(str).str.fullmatch(ISO).all()
    if not (texts or kind == "dates"):
        return values
    try:
        # texts of one column may be of several offsets
        moments = pd.to_datetime(values, utc=True, **({"format": "ISO8601"} if texts else {}))
    except (TypeError, ValueError):  # such as periods that are objects
        return values
    return moments if _any_zone(known, bool(texts)) else moments.dt.tz_localize(None)


def has_zone(values: pd.Series) -> bool:
    """Whether moments have a time zone.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.dates import as_dates, has_zone
    >>> has_zone(as_dates(pd.Series(["2024-03-01"])))
    False
    >>> has_zone(as_dates(pd.Series(["2024-03-01T10:00Z"])))
    True
    """
    return isinstance(values.dtype, pd.DatetimeTZDtype)


def stray_text(values: pd.Series) -> str | None:
    """The first text that is no date in a column that holds dates otherwise.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    str or None
        None if all are dates, or fewer than half.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.dates import stray_text
    >>> stray_text(pd.Series(["2024-03-01", "soon"])), stray_text(pd.Series(["2024-03-01"]))
    ('soon', None)
    """
    if kind_of(values) != TEXTS:
        return None
    known = values.dropna().astype(str)
    iso = known.where(known.str.fullmatch(ISO))
    dates = pd.to_datetime(iso, utc=True, format="ISO8601", errors="coerce").notna()
    return None if dates.all() or dates.mean() < 0.5 else known[~dates].iloc[0]


def is_dates(values: pd.Series) -> bool:
    """Whether a column holds moments."""
    return is_datetime64_any_dtype(values)


def decimal_years(values: pd.Series) -> np.ndarray:
    """Years with the share of the year that has passed, NaN where a moment is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.dates import decimal_years
    >>> decimal_years(pd.to_datetime(pd.Series(["2023-07-02 12:00"]))).tolist()
    [2023.5]
    """
    years = values.dt.year.to_numpy(np.float64)
    begin, end = (_new_year(years + more) for more in (0, 1))
    share = (values.to_numpy("datetime64[us]") - begin) / (end - begin)
    return years + share


def days(years: np.ndarray) -> np.ndarray:
    """Days since the beginning of 1970, of decimal years.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.tables.dates import days
    >>> days(np.array([1970.0, 1971.0])).tolist()
    [0.0, 365.0]
    """
    whole = np.floor(years)
    begin, end = (_new_year(whole + more) for more in (0, 1))
    day = np.timedelta64(1, "D")
    epoch = np.datetime64("1970-01-01", "us")
    return (begin - epoch) / day + (years - whole) * ((end - begin) / day)


def cycle(years: np.ndarray, period: str) -> dict[str, np.ndarray]:
    """Sine and cosine of where decimal years are in a period, by what they are called.

    A year is as long as the one that it is; a week begins on Thursday, as 1970 did.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.tables.dates import cycle
    >>> [value.round(3).tolist() for value in cycle(np.array([2000.25]), "year").values()]
    [[1.0], [0.0]]
    """
    phase = years if period == "year" else days(years) / PERIODS[period]
    angle = 2 * np.pi * (phase - np.floor(phase))
    return {f"sine of the {period}": np.sin(angle), f"cosine of the {period}": np.cos(angle)}


def named_periods(given: Sequence[str]) -> dict[str, str]:
    """Read ``COLUMN=PERIOD``, as of the command line.

    Raises
    ------
    InputError
        If there is no period, or one that is unknown.

    Examples
    --------
    >>> from pymc_bnn.studies.tables.dates import named_periods
    >>> named_periods(["sold=year"])
    {'sold': 'year'}
    """
    found = {}
    for text in given:
        column, equals, period = text.rpartition("=")
        if not equals:
            raise InputError(f"--period {text!r}: give a column and its period, as in sold=year.")
        with one_line_errors():
            found[column] = choose("period", period, PERIODS)
    return found


def _any_zone(known: pd.Series, texts: bool) -> bool:
    if texts:
        return any(re.search(ZONE, text) for text in known.astype(str))
    if isinstance(known.dtype, np.dtype) and known.dtype.kind == "M":
        return False
    return any(getattr(moment, "tzinfo", None) is not None for moment in known)


def _new_year(years: np.ndarray) -> np.ndarray:
    """Moments at which years begin; none of what is no year."""
    known = np.where(np.isnan(years), 1970, years).astype(np.int64) - 1970
    found = known.astype("datetime64[Y]").astype("datetime64[us]")
    return np.where(np.isnan(years), np.datetime64("NaT", "us"), found)
