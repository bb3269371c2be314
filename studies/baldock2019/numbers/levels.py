"""What chains say together, and against each other, with errors that know how they disagree."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...reproduction.estimates import Estimate

CHAIN = ("direction", "chain")
ALIKE = ["network", "cases", "walls", "direction"]  # chains that begin in one way


class Level(NamedTuple):
    """A mean over chains.

    Parameters
    ----------
    plain : Estimate
        By the errors that chains have of their own.
    wide : Estimate
        By errors as :func:`widened` has them.
    """

    plain: Estimate
    wide: Estimate

    @property
    def wider(self) -> Estimate:
        """That which has the wider interval, as errors that are larger may have more freedom.

        Examples
        --------
        >>> from pymc_bnn.studies.baldock2019.numbers.levels import Level
        >>> from pymc_bnn.studies.reproduction.estimates import Estimate
        >>> Level(Estimate(1.0, 0.1, 1), Estimate(1.0, 0.2)).wider.error
        0.1
        """
        return max(self, key=lambda one: one.interval()[1] - one.value)

    def minus(self, other: "Level | Estimate") -> Estimate:
        """Difference to an independent number: the wider of both."""
        pair = other if isinstance(other, Level) else Level(other, other)
        return Level(*(one.minus(its) for one, its in zip(self, pair, strict=True))).wider


def level(values: ArrayLike, errors: ArrayLike) -> Estimate:
    """Mean over chains.

    Its error is the larger of what the chains' own say and of what their spread says, as chains
    that do not leave where they began know nothing of each other. What one chain says of its own
    has one degree of freedom, as the spread of two would have: those that there are differ by up to
    six times what they say.

    Parameters
    ----------
    values, errors : array_like
        Of each chain, with its Monte Carlo standard error.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import level
    >>> found = level([-10.0, -14.0], [0.3, 0.4])
    >>> found.value, found.error, found.freedom
    (-12.0, 2.0, 1)
    >>> level([-10.0], [0.3]).freedom
    1
    """
    values, errors = np.asarray(values, float), np.asarray(errors, float)
    count = values.size
    if count == 0 or np.isnan(values).any():
        return Estimate(np.nan, np.nan)
    own = float(np.sqrt(np.sum(errors**2))) / count
    spread = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0
    if count == 1 and own == 0:
        own = np.inf  # nothing says how far it is off
    freedom = max(count - 1, 1) if spread > own or count == 1 else np.inf
    return Estimate(float(values.mean()), max(own, spread), freedom)


def level_of(rows: pd.DataFrame, name: str) -> Estimate:
    """Mean over the chains of a table, of what has its standard error beside it."""
    return level(rows[name], rows[ERRORS[name]])


def levels_of(rows: pd.DataFrame, name: str) -> Level:
    """Mean over the chains of a table that has widened errors too."""
    return Level(level_of(rows, name), level(rows[name], rows[WIDE[name]]))


def over_directions(
    rows: pd.DataFrame, of: Callable[[pd.DataFrame], Level], column: str = "direction"
) -> Level:
    """Mean over the chains of a table, whose directions are what is independent if they differ.

    Chains that begin alike share what keeps them from the others. Where the means of both
    directions differ by more than the standard error of that difference, their own spread counts,
    with one degree of freedom, where its interval is the wider one.

    Parameters
    ----------
    rows : DataFrame
        Chains.
    of : callable
        Mean over some of them.
    column : str
        Which says how a chain began.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import Level, level, over_directions
    >>> rows = pd.DataFrame({"direction": [*"cchh"], "x": [1.0, 1.2, 3.0, 3.2]})
    >>> mean = over_directions(rows, lambda some: Level(*[level(some["x"], 0 * some["x"])] * 2))
    >>> round(mean.wide.error, 6), mean.wide.freedom
    (1.0, 1)
    """
    whole = of(rows)
    parts = [of(one) for _, one in rows.groupby(column, sort=False)]
    if len(parts) < 2:
        return whole
    gap = parts[0].minus(parts[1])
    if not abs(gap.value) > gap.error:
        return whole
    apart = Estimate(whole.plain.value, abs(gap.value) / 2, 1)
    return Level(*(Level(one, apart).wider for one in whole))


ERRORS = {
    "training error": "± training",
    "test error": "± test",
    "log evidence": "±",
}
WIDE = {name: f"wide {ERRORS[name]}" for name in ("training error", "test error")}


def widened(rows: pd.DataFrame) -> pd.DataFrame:
    """Chains with errors that are as large as those that begin alike differ by.

    A short chain does not see how slowly it goes. All that begin in one way therefore get a factor
    for their errors of the training error, and one for those of the test error: the root mean
    square, over temperatures, of their spread over their own errors, if that is above 1. Of a
    single chain nothing tells. These errors are in columns of their own, named ``WIDE``.

    Parameters
    ----------
    rows : DataFrame
        Chains at temperatures.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.numbers.levels import widened
    >>> named = {"network": "M3", "cases": 50, "walls": "reflect", "direction": "cooling"}
    >>> rows = pd.DataFrame({"temperature": [1.0, 1.0], "chain": [0, 1], "test error": [2.0, 8.0]})
    >>> widened(rows.assign(**named, **{"± test": 1.0}))["wide ± test"].round(2).tolist()
    [4.24, 4.24]
    """
    keys = pd.MultiIndex.from_frame(rows[ALIKE])
    wide = {
        column: rows[ERRORS[name]] * _factors(rows, name).reindex(keys).to_numpy()
        for name, column in WIDE.items()
        if name in rows
    }
    return rows.assign(**wide)


def _factors(rows: pd.DataFrame, name: str) -> pd.Series:
    """By how much own errors are too small, of chains that begin alike."""
    squares = rows.assign(own=rows[ERRORS[name]] ** 2).groupby([*ALIKE, "temperature"])
    own = squares["own"].mean()
    ratio = squares[name].var() / own.where(own > 0)  # a chain that stands still has no error
    return np.sqrt(ratio.groupby(level=ALIKE).mean()).clip(lower=1.0).fillna(1.0)
