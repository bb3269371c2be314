"""Tables from files."""

from pathlib import Path

import pandas as pd

from ..errors import InputError


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a CSV, Parquet or Excel file.

    Parameters
    ----------
    path : str or Path
        The file; Parquet if its name ends in ``.parquet`` or ``.pq``, the first sheet of Excel if
        it ends in ``.xlsx``, else CSV.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If there is no such file, or it cannot be read as a table.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}.")
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            frame = pd.read_parquet(path)
        elif path.suffix.lower() == ".xlsx":
            frame = pd.read_excel(path)
        else:
            frame = pd.read_csv(path)
    except Exception as error:  # every parser has its own exceptions
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"cannot read {str(path)!r} as a table: {reason}") from None
    if frame.empty:
        raise InputError(f"the table {str(path)!r} has no rows.")
    return frame.rename(columns=str)
