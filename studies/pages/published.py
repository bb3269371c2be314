"""Numbers that a published work printed, kept as files beside the study that reproduces it."""

from collections.abc import Sequence
from importlib.resources import files

import pandas as pd

from ...models.data.choices import choose


def published_table(package: str, name: str, tables: Sequence[str]) -> pd.DataFrame:
    """Load a published table.

    Parameters
    ----------
    package : str
        Whose folder ``thesis`` has the files.
    name : str
        The table.
    tables : sequence of str
        All tables that there are.

    Returns
    -------
    DataFrame
        Its column ``table`` is text: as a number, Table 4.10 would be 4.1.

    Raises
    ------
    ValueError
        If there is no such table.

    Examples
    --------
    >>> from pymc_bnn.studies.pages.published import published_table
    >>> package = "pymc_bnn.studies.lau2018.design"
    >>> published_table(package, "metrics", ["metrics"])["table"].unique().tolist()
    ['4.10']
    """
    path = files(package) / "thesis" / f"{choose('table', name, tables)}.csv"
    with path.open() as file:
        return pd.read_csv(file, dtype={"table": str})
