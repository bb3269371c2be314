"""Verdicts with links to the rules that they follow from."""

from collections.abc import Callable

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import to_rule

AGREEMENT, INTERVAL, TARGET = "agreement", "interval", "target"
BOTH = f"{INTERVAL}, {AGREEMENT}"  # the first of two lines, and the second


def of(
    table: str, say: Callable[[pd.DataFrame], str], rule: str | None = None
) -> Callable[[Tables], str]:
    """Words about one table, each verdict with its rule."""
    if rule is None:
        return lambda kept: say(kept[table])
    return lambda kept: ruled(say(kept[table]), rule)


def ruled(text: str, rule: str) -> str:
    r"""Link verdicts to their rule: all items of a list, or what is one line.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.ruled import ruled
    >>> print(ruled("Is it flat?\n\n- A: met.", "target"))
    Is it flat?
    <BLANKLINE>
    - A: met. ([target](#how-claims-are-judged))
    >>> ruled("No results to compare yet.", "target")
    'No results to compare yet.'
    """
    lines = text.splitlines()
    return "\n".join(f"{x} {to_rule(rule)}" if _judges(x, len(lines)) else x for x in lines)


def _judges(line: str, among: int) -> bool:
    """Whether a line of a text of so many has a verdict."""
    none = "no results" in line.lower() or "not judged" in line
    return not none and (line.startswith("- ") or among == 1)
