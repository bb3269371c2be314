"""Tables of a page as files: all that it says is said from these."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Format:
    """How tables are kept as CSV files.

    Parameters
    ----------
    digits : int
        Of each number that is not whole.
    text : tuple of str
        Columns that are text, even where they look like numbers.
    whole : tuple of str, optional
        Columns of whole numbers; all other numbers are real, even where they happen to be whole.
        By default numbers are what they look like.

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from pymc_bnn.studies.pages.kept_tables import Format
    >>> table = pd.DataFrame({"row": ["2"], "draws": [60], "error %": [9.0]})
    >>> as_kept = Format(text=("row",), whole=("draws",))
    >>> as_kept.read(as_kept.keep({"layers": table}, Path("tables"))["layers"]).equals(table)
    True
    """

    digits: int = 6
    text: tuple[str, ...] = ()
    whole: tuple[str, ...] | None = None

    def keep(self, tables: Tables, folder: Path) -> dict[str, Path]:
        """Write tables, and return their files by their names; the folder is made if need be."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = {name: folder / f"{name}.csv" for name in tables}
        for name, path in paths.items():
            style = f"%.{self.digits}g"
            tables[name].to_csv(path, index=False, float_format=style, lineterminator="\n")
        return paths

    def read(self, path: Path) -> pd.DataFrame:
        """Read a table."""
        table = pd.read_csv(path, dtype=dict.fromkeys(self.text, str))
        if self.whole is None:
            return table
        numbers = table.select_dtypes("number").columns.difference(list(self.whole))
        return table.astype(dict.fromkeys(numbers, float))

    def read_all(self, folder: Path) -> dict[str, pd.DataFrame]:
        """Read all tables of a folder by name."""
        return {path.stem: self.read(path) for path in sorted(folder.glob("*.csv"))}
