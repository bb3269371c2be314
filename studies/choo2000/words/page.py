"""The page of the documentation that shows the study beside the thesis."""

import numpy as np
from rich.table import Table

from ...pages.kept_tables import Format
from ...pages.markdown import shown
from ...pages.page import Page
from ..numbers import beside, beyond, data, judged, larger, tables
from ..numbers.results import Results
from .sections import BEYOND, DIFFERS, THESIS
from .short import IN_SHORT
from .sources import SOURCES
from .text import ALONE, heading, how_much, preface

PAGE = Page(
    name="choo2000",
    head=heading,
    there=how_much,
    sources=SOURCES,
    parts={
        "The thesis again": THESIS,
        "Beyond the thesis": BEYOND,
        "What differs, and why": DIFFERS,
    },
    derived={"lengths": beside.lengths, "larger": larger.larger, "cases": data.cases},
    in_short=IN_SHORT,
    preface=preface,
    alone=ALONE,
    format=Format(text=("figure",)),  # a figure's number is a name
)


def summary(results: Results) -> Table:
    """Table for a terminal: g of every method at every width, and its ratio to Gibbs's.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.numbers.results import Results
    >>> from pymc_bnn.studies.choo2000.words.page import summary
    >>> summary(Results(Path("nothing"), BUDGETS["smoke"])).row_count
    0
    """
    keys = ["method", "hidden units"]
    found = tables.geometric_means(results)
    gains = judged.gains(beyond.gains(results))
    grid = Table(title="Geometric mean of variances of means (90% interval), and over Gibbs's")
    for name in (*keys, "g", "thesis, recomputed", "over Gibbs's"):
        grid.add_column(name, justify="left" if name == "method" else "right")
    if found.empty:
        return grid
    found = beside.geometric_means(found)
    for _, row in found.merge(gains, "left", keys, suffixes=("", " of ratio")).iterrows():
        g = f"{row['g']:.3g} ({row['low']:.3g}-{row['high']:.3g})"
        ratio = f"{row['ratio']:.3g} ({row['low of ratio']:.3g}-{row['high of ratio']:.3g})"
        both = [shown("g", row["thesis recomputed"]), ratio if np.isfinite(row["ratio"]) else ""]
        grid.add_row(row["method"], str(row["hidden units"]), g, *both)
    return grid
