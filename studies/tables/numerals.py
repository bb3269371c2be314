"""Texts that are numbers, and those among them that are none."""

from itertools import pairwise

import pandas as pd

from ...models.data.numbers import TEXTS, kind_of
from ..errors import InputError

# A column is of numbers if most of its texts are, and differ more than a few codes do.
LEAST_SHARE = 0.9
LEAST_DISTINCT = 10
LEAST_RANGES = 3
MOST_SHARE = 0.5
OTHER_DATE = r"(\d{4}([./-])\d{1,2}\2\d{1,2}|\d{1,2}([./-])\d{1,2}\3(\d{2}|\d{4}))(\D.*)?"
AMOUNT = r"[-+]?[$€£¥]\s?[-+]?\d[\d.,' ]*|[-+]?\d[\d.,' ]*\s?[$€£¥%]"
MINUS, EN_DASH = "\N{MINUS SIGN}", "\N{EN DASH}"
# What may stand between groups of three digits, the same throughout a number.
SEPARATOR = (
    "[,' \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{RIGHT SINGLE QUOTATION MARK}]"
)
GROUPED = (
    rf"[-+]?(?!0\d)\d{{1,3}}(?P<group>{SEPARATOR})\d{{3}}((?P=group)\d{{3}})*"
    r"((?!(?P=group))[.,]\d+)?"
)
# dots may stand there too, before a decimal comma: 1.234.567 may be a code, and 1.000 is read as 1
DOTTED = r"[-+]?(?!0\d)\d{1,3}(\.\d{3})+,\d+"
# a number below zero, as in accounts; (2,2) is a place, and (020) a code
IN_BRACKETS = rf"^\((?!0\d)(\d+(\.\d+)?|{GROUPED})\)$"
SIGN = r"(?P<sign>[<>~≤≥≈$€£¥]=?)?\s*"
UNIT = r"\s*(?P<unit>[%°$€£¥]|°?[^\W\d_]+([/·*^][^\W\d_]+)*[23]?)?"
MEASURE = rf"^{SIGN}(?P<number>[-+{MINUS}]?([\d.]|{SEPARATOR})*\d){UNIT}$"
RANGE = rf"(?P<low>\d+(\.\d+)?)\s*(-|{EN_DASH}|to)\s*(?P<high>\d+(\.\d+)?)"
OPEN_RANGE = r"[<>≤≥]=?\s*\d+(\.\d+)?|\d+(\.\d+)?\s*\+"
CODE = r"\d+[^\W\d_]"  # as 12a is, beside 12; "10 kg" and <5 are none


def strays(values: pd.Series) -> list[str]:
    """The texts that are no numbers in a column that holds numbers otherwise.

    Texts such as ``5%`` and ``1,5`` are none, but are counted with them, and beside numbers
    ``1,000,000`` and ``(10)`` too, which may be codes by themselves; a column of pandas' categories
    holds no numbers, as somebody has said so.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    list of str
        One for each row that holds such a text; none if fewer than nine of ten texts are numbers,
        or few of these differ.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import strays
    >>> strays(pd.Series([*map(str, range(20)), "?"]))
    ['?']
    >>> strays(pd.Series([*map(str, range(20)), "1,000,000"]))
    ['1,000,000']
    >>> strays(pd.Series([f"A{k}" for k in range(20)]))
    []
    """
    texts = _texts(values)
    none = _numbers(texts).isna()
    plain = texts.str.strip().str.removesuffix("%").str.replace(",", ".")
    if not none.all():
        plain = plain.where(_numbers(plain).notna(), _plain(texts))
    return [] if texts.empty or not _mostly_numbers(plain) else texts[none].tolist()


def check_no_stray(values: pd.Series, mend: str) -> None:
    """Refuse a column of numbers that holds a text, which would make all of them categories.

    Parameters
    ----------
    values : Series
        A column of a table.
    mend : str
        What to do about it.

    Raises
    ------
    InputError
        If there is such a text.
    """
    if found := strays(values):
        others, no = ("", "is no number") if len(set(found)) == 1 else (" and others", "are none")
        raise InputError(
            f"column {values.name!r} is of numbers, but {found[0]!r}{others} in {len(found)} of "
            f"{len(values)} rows {no}; {mend}."
        )


def are_numerals(values: pd.Series) -> bool:
    """Whether a column holds texts all of which are numbers, and more than a few.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import are_numerals
    >>> are_numerals(pd.Series([*map(str, range(20))])), are_numerals(pd.Series(range(20)))
    (True, False)
    """
    texts = _texts(values)
    return not texts.empty and _mostly_numbers(texts) and bool(_numbers(texts).notna().all())


def looks_like_other(values: pd.Series) -> str | None:
    """A text of a column that looks like a date or an amount, where nearly all of them do.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import looks_like_other
    >>> looks_like_other(pd.Series([f"{day}/04/2020" for day in range(1, 21)]))
    '1/04/2020'
    >>> looks_like_other(pd.Series([f"${k}.5" for k in range(20)]))
    '$0.5'
    >>> looks_like_other(pd.Series([f"A{k}" for k in range(20)]))
    """
    texts = _texts(values).str.strip()
    if texts.nunique() < LEAST_DISTINCT:
        return None
    found = texts[texts.str.fullmatch(OTHER_DATE) | texts.str.fullmatch(AMOUNT)]
    return str(found.iloc[0]) if len(found) >= LEAST_SHARE * len(texts) else None


def looks_like_measure(values: pd.Series) -> str | None:
    """A text that is a number with a unit, a sign or separators, where most of a column are.

    Beside numbers without one, a few such texts are enough.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    str or None
        None if fewer than ten texts differ, or they look like codes.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import looks_like_measure
    >>> looks_like_measure(pd.Series([f"{k} kg" for k in range(20)]))
    '0 kg'
    >>> looks_like_measure(pd.Series([*map(str, range(20)), *["<5"] * 10]))
    '<5'
    >>> looks_like_measure(pd.Series([f"A{k}" for k in range(20)]))
    """
    texts = _texts(values).str.strip()
    if texts.nunique() < LEAST_DISTINCT:
        return None
    parts = texts.str.extract(MEASURE)
    marked = _numbers(_plain(parts["number"])).notna() & parts[["sign", "unit"]].notna().any(axis=1)
    clear = marked & ~texts.str.fullmatch(CODE)
    numbers = _numbers(_plain(texts)).notna()
    marked |= numbers & _numbers(texts).isna()
    if clear.any() and (clear | numbers).mean() >= MOST_SHARE:
        return str(texts[clear].iloc[0])
    return str(texts[marked].iloc[0]) if marked.mean() > MOST_SHARE else None


def looks_like_range(values: pd.Series) -> str | None:
    """A text that is a range of numbers, where all of a column are, but for the outermost.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    str or None
        None if fewer than three ranges differ, or they overlap or end below where they begin, as
        codes and telephone numbers do.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import looks_like_range
    >>> looks_like_range(pd.Series(["18-25", "26-40", "41-65", "66+"]))
    '18-25'
    >>> looks_like_range(pd.Series(["3-1", "2-2", "1-3"]))
    """
    texts = _texts(values).str.strip()
    ends = texts.str.extract(rf"^{RANGE}$")
    low, high = ends["low"].astype(float), ends["high"].astype(float)
    ranges, bands = texts[low.notna()], sorted({*zip(low.dropna(), high.dropna(), strict=True)})
    apart = all(one[1] <= other[0] for one, other in pairwise(bands))
    if len(bands) < LEAST_RANGES or (low >= high).any() or not apart:
        return None
    all_are = (low.notna() | texts.str.fullmatch(OPEN_RANGE)).all()
    return str(ranges.iloc[0]) if all_are else None


def text_among_numbers(values: pd.Series) -> str | None:
    """The first text that is no number in a column at least half of which are numbers.

    Parameters
    ----------
    values : Series
        A column of a table.

    Returns
    -------
    str or None
        None if fewer than ten numbers differ, or texts such as ``12a`` say that they are codes.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.tables.numerals import text_among_numbers
    >>> text_among_numbers(pd.Series([*map(str, range(20)), *["unknown"] * 10]))
    'unknown'
    >>> text_among_numbers(pd.Series([*map(str, range(20)), *["12a"] * 10]))
    """
    texts = _texts(values).str.strip()
    others = texts[_numbers(texts).isna()]
    if others.empty or not _mostly_numbers(texts, MOST_SHARE) or others.str.fullmatch(CODE).any():
        return None
    return str(others.iloc[0])


def _texts(values: pd.Series) -> pd.Series:
    """What is known of a column of texts, or of texts among numbers; of others nothing."""
    kind = None if isinstance(values.dtype, pd.CategoricalDtype) else kind_of(values)
    held = kind is not None and (kind == TEXTS or "mixed" in kind)
    return values.dropna().astype(str) if held else pd.Series(dtype=str)


def _plain(texts: pd.Series) -> pd.Series:
    """Texts as Python writes numbers, where they are numbers that are written otherwise."""
    texts = texts.str.strip().str.replace(MINUS, "-")
    texts = texts.str.replace(IN_BRACKETS, r"-\1", regex=True).str.replace(r"\s*%$", "", regex=True)
    grouped = texts.str.fullmatch(GROUPED).fillna(False).astype(bool)
    joined = texts.str.replace(rf"{SEPARATOR}(?=\d{{3}}(?!\d))", "", regex=True)
    dotted = texts.str.fullmatch(DOTTED).fillna(False).astype(bool)
    texts = texts.where(~grouped, joined).where(~dotted, texts.str.replace(".", "", regex=False))
    return texts.str.replace(",", ".")


def _numbers(texts: pd.Series) -> pd.Series:
    return pd.to_numeric(texts, errors="coerce")


def _mostly_numbers(texts: pd.Series, share: float = LEAST_SHARE) -> bool:
    numbers = _numbers(texts)
    return bool(numbers.notna().mean() >= share and numbers.nunique() >= LEAST_DISTINCT)
