"""Tables from files."""

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from pathlib import Path
from warnings import catch_warnings, simplefilter

import pandas as pd

from ..errors import InputError
from .checks import listed

OLD_EXCEL = b"\xd0\xcf\x11\xe0"  # with which files of Excel begin that are no .xlsx
SEPARATORS = {";": "';'", "\t": "tabs", "|": "'|'"}


def read_table(path: str | Path, texts: Iterable[str] = ()) -> pd.DataFrame:
    """Read a CSV, Parquet or Excel file.

    What CSV and Excel columns hold is guessed from all their rows.

    Parameters
    ----------
    path : str or Path
        The file; Parquet if its name ends in ``.parquet`` or ``.pq``, the first sheet of Excel if
        it ends in ``.xlsx``, else CSV.
    texts : iterable of str
        Columns whose values are texts, of whatever rows the file has.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If there is no such file, or it cannot be read as a table; of CSV also if it is separated
        by other than commas, or rows have more fields than the header.
    """
    path, kinds = Path(path), dict.fromkeys(texts, str)
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give a file, and write its parts into one.")
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}.")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            frame = _with_index(pd.read_parquet(path))
        elif path.suffix.lower() == ".xlsx":
            first = pd.read_excel(path, header=None, nrows=1, dtype=str, keep_default_na=False)
            _check_header(path, first)
            frame = pd.read_excel(path, dtype=kinds)
        else:
            frame = _read_csv(path, kinds)
    except InputError:
        raise
    except Exception as error:  # every parser has its own exceptions
        raise InputError(f"cannot read {str(path)!r} as a table: {_reason(error)}") from None
    if frame.empty:
        raise InputError(f"the table {str(path)!r} has no rows.")
    return frame.rename(columns=str)


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Make columns of an index that has names, as files of text do."""
    named = [name for name in frame.index.names if name is not None]
    return frame.reset_index(level=named) if named else frame


def _read_csv(path: Path, kinds: dict[str, type[str]]) -> pd.DataFrame:
    first = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False)
    header = _check_header(path, first)
    try:
        return _read_rows(path, header, kinds)
    except (InputError, pd.errors.ParserError):
        if not header[0].startswith("#"):
            raise
        raise InputError(
            f"{str(path)!r} begins with {header[0]!r}, which looks like a comment; delete the "
            "lines before the names of the columns."
        ) from None


def _read_rows(path: Path, header: list[str], kinds: dict[str, type[str]]) -> pd.DataFrame:
    if any("\0" in name for name in header):
        raise InputError(f"cannot read {str(path)!r} as a table: {_not_utf8('in UTF-16')}")
    found = next((mark for mark in SEPARATORS if len(header) == 1 and mark in header[0]), None)
    if found is not None:
        raise InputError(
            f"{str(path)!r} looks separated by {SEPARATORS[found]}; save it with commas, and its "
            "numbers with decimal points."
        )
    with catch_warnings():
        simplefilter("error", pd.errors.ParserWarning)
        try:
            # by default pandas takes a first field too many for the name of the row, in silence,
            # and reads in parts, of which a column's may be of texts and of numbers
            return pd.read_csv(path, index_col=False, low_memory=False, dtype=kinds)
        except pd.errors.ParserWarning:
            raise InputError(
                f"rows of {str(path)!r} have more fields than the header; give every column a "
                "name, also that of row names, and write numbers with decimal points."
            ) from None


def _check_header(path: Path, first: pd.DataFrame) -> list[str]:
    """Names of the columns, before pandas makes repeated ones differ."""
    names = pd.Series([str(name) for name in first.to_numpy().ravel()], dtype=str)
    repeated = names[names.duplicated() & (names != "")].unique()
    if len(repeated):
        raise InputError(
            f"column name(s) {listed(repeated)} of {str(path)!r} occur more than once; rename them."
        )
    return names.tolist()


def _reason(error: Exception) -> str:
    """One line of what a parser said, and the mend where it is known."""
    if isinstance(error, UnicodeDecodeError):
        if error.object.startswith(OLD_EXCEL):
            return "it is of Excel's old format; save it as .xlsx."
        utf16 = error.object[:2] in (BOM_UTF16_LE, BOM_UTF16_BE)
        return _not_utf8("in UTF-16" if utf16 else "in Latin-1, or is no text")
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if found := re.search(r"Expected \d+ fields in line \d+, saw \d+", reason):
        return f"{found[0]}; drop commas at its end, quote texts with commas, write 1.5 for 1,5."
    return reason


def _not_utf8(what: str) -> str:
    return f"it is not written in UTF-8, but {what}; save it as CSV in UTF-8."
