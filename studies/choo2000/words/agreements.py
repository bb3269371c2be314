"""Whether numbers agree with others: each by itself, all of them together, and parts of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .differences import SHARES, Kind, Rows
from .judgements import CHANCE


def agreement(
    differences: Any,
    errors: Any,
    groups: Any = None,
    kind: Kind = SHARES,
    *,
    least: Any = None,
    parts: Any = None,
) -> str:
    """Say whether numbers agree: each by itself, and all of them together.

    They differ if one difference is too large to be the largest of so many, if more than chance
    gives are beyond two standard errors, or if all together are too far from none, with each group
    counted as one row and errors taken as large as they may be. Equal numbers pass for different
    by each of these three with a third of 5%, and so by any with 5% at most. Numbers in parts
    differ as well if those of one part do; each part, and all of them, then have the same share of
    the 5%. They agree if none has a chance below 5%, rows taken as independent and errors as small
    as they may be, no part differs, and two standard errors around each of them lie within the
    margin: so no row that was known well beforehand speaks for the others. All else is undecided.

    Parameters
    ----------
    differences, errors : array_like
        As shares of the values, or of their logarithms; undefined ones are left out.
    groups : array_like, optional
        Of rows that share start states or chains.
    kind : Kind
        What differences are.
    least : array_like, optional
        Errors as small as they may be; by default ``errors``.
    parts : array_like, optional
        Names of parts, each of which is to agree.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.agreements import agreement
    >>> from pymc_bnn.studies.choo2000.words.differences import FACTORS
    >>> print(agreement([0.01, -0.02], [0.02, 0.02]))  # doctest: +NORMALIZE_WHITESPACE
    agrees within 25%: 0 of 2 beyond 2 standard errors (the largest z = -1.0), 1 of 2
    are above; together -0.5% ± 1.4%, z = -0.4
    >>> agreement([0.1, -0.2], [0.2, 0.2])[:16], agreement([0.1, 0.9], [0.2, 0.2])[:7]
    ('undecided at 25%', 'differs')
    >>> print(agreement([0.7], [0.1], kind=FACTORS))
    differs: 2.01 (1.65 to 2.46) times, z = 7.0
    """
    d, e = (np.asarray(values, float) for values in (differences, errors))
    small = e if least is None else np.asarray(least, float)
    rows = Rows(d, e, small, np.arange(d.size) if groups is None else np.asarray(groups))
    known, names = rows.known, np.full(d.size, "") if parts is None else np.asarray(parts, str)
    if not known.any():
        return "no results to compare yet"
    rows, names = rows.of(known), names[known]
    several = {name: rows.of(names == name) for name in dict.fromkeys(names)}
    return f"{_verdict(rows, several if len(several) > 1 else {}, kind)}: {rows.show(kind)}"


def _verdict(rows: Rows, parts: dict[str, Rows], kind: Kind) -> str:
    chances = {name: part.seem_apart(kind) for name, part in parts.items()}
    every = 1 + len(parts)
    surely = [name for name, chance in chances.items() if chance * every < CHANCE]
    alone = [name for name, chance in chances.items() if chance < CHANCE]
    if surely or rows.seem_apart(kind) * every < CHANCE:
        return f"differs{_by_themselves(surely, ', as')}"
    if alone or not rows.are_close(kind):
        return f"undecided at {kind.shown}{_by_themselves(alone, ', though')}"
    return f"agrees within {kind.shown}"


def _by_themselves(names: Sequence[str], begins: str) -> str:
    if not names:
        return ""
    one = len(names) == 1
    return f"{begins} {' and '.join(names)} differ{'s by itself' if one else ' by themselves'}"
