"""What is said of differences to annealed runs, a few of which fail and weigh most in means."""

from collections.abc import Mapping

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ...tables.robot_arm import OUTPUTS
from ..design.printed import FAILURE, NOISE
from ..numbers.derived import of_ways

FAILED = FAILURE * OUTPUTS / NOISE  # test error on MacKay's scale


def each_difference(tables: Tables, of: str, to: str, what: str) -> pd.Series:
    """Differences between two ways, of each data set that both have."""
    found = of_ways(tables)
    if of not in found or to not in found:
        return pd.Series(dtype=float)
    return (found[of][what] - found[to][what]).dropna()


def medians(tables: Tables, of: str, to: str, what: str) -> str:
    """Write the median of differences, and on how many data sets they are below zero."""
    found = each_difference(tables, of, to, what)
    below = f"below zero on {int((found < 0).sum())} of {len(found)} data sets"
    return f"median {found.median():.3g}, {below}"


def without_failures(tables: Tables) -> Tables:
    """Leave out annealed runs that failed."""
    table = tables.get("cooled", pd.DataFrame({"test error": []}))
    return {**tables, "cooled": table[~(table["test error"] >= FAILED)]}


def of_failures(
    tables: Tables, pairs: Mapping[str, tuple[str, str]], what: str, unit: str = ""
) -> str:
    """Say how many annealed runs failed, and what mean differences are without them.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Those of the study.
    pairs : mapping of str to (str, str)
        Which way is less which other one, by the words for that.
    what : str
        Measure of the difference.
    unit : str
        Its unit.
    """
    table = tables.get("cooled", pd.DataFrame({"test error": []}))
    failed, left = table["test error"] >= FAILED, without_failures(tables)
    found = {words: mean_of(each_difference(left, *pair, what)) for words, pair in pairs.items()}
    if not failed.any() or not known(found):
        return ""
    sets = table[failed]["data set"].nunique()
    return (
        f"Of {len(table)} annealed runs {int(failed.sum())} failed, on {sets} data sets, and means "
        f"are of these too. Without them, mean differences of {what}: {says(found, unit)}.\n"
    )
