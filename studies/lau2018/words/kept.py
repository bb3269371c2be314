"""Tables of the page as files: all that it says is said from these."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from .claims import Tables

NAMES = ("row", "against", "table")  # text, even where it looks like a number
COUNTS = ("chains", "warm-up", "draws", "members", "weights", "results", "missing", "rows")


def keep(tables: Tables, folder: Path) -> Mapping[str, Path]:
    """Write tables as CSV files, ten digits of each number.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        The tables.
    folder : Path
        Where to; it is made if need be.

    Returns
    -------
    mapping of str to Path
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}.csv" for name in tables}
    for name, path in paths.items():
        tables[name].to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    return paths


def read(path: Path) -> pd.DataFrame:
    """Read a table that :func:`keep` wrote.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pymc_bnn.studies.lau2018.words.kept import keep, read
    >>> table = pd.DataFrame({"row": ["2"], "draws": [60], "error %": [9.0]})
    >>> read(keep({"layers": table}, Path("tables"))["layers"]).equals(table)
    True
    """
    table = pd.read_csv(path, dtype=dict.fromkeys(NAMES, str))
    numbers = table.select_dtypes("number").columns.difference(list(COUNTS))
    return table.astype(dict.fromkeys(numbers, float))


def read_all(folder: Path) -> Tables:
    """Read all tables of a folder by name."""
    return {path.stem: read(path) for path in sorted(folder.glob("*.csv"))}
