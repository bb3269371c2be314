"""Write the page of the documentation: tables and figures from results, then its text."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from rich.table import Table

from ...reproduction.markdown import shown
from ...reproduction.unit_store import is_saved
from ..design.budgets import PASSES, Budget
from ..figures.drawing import drawing, save
from ..numbers import beside, beyond, judged, tables
from ..numbers.results import Results
from .sections import BEYOND, THESIS, Section
from .text import page_name, table_of, table_path, write_text


def write_page(folder: Path, budget: Budget, docs: Path) -> list[Path]:
    """Write the page, its figures and its tables, from all results that are there.

    Parameters
    ----------
    folder : Path
        Where the results of units are.
    budget : Budget
        What the study was to sample.
    docs : Path
        Folder of the documentation.

    Returns
    -------
    list of Path
        The files written: ``studies/choo2000.md``, tables in ``studies/choo2000`` and figures in
        ``_static/choo2000``; with ``_paper`` after the name for that budget. Sections without
        results are only named.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.words.page import write_page
    >>> [path.name for path in write_page(Path("nothing"), find_budget("smoke"), Path("docs"))]
    ['choo2000.md']
    """
    results, docs = Results(Path(folder), budget), Path(docs)
    written = [
        path for section in (*THESIS, *BEYOND) for path in write_files(results, section, docs)
    ]
    return [write_text(docs, budget, _there(results), set(written)), *written]


def rewrite_page(docs: Path, budget: Budget) -> list[Path]:
    """Write the page anew from the tables beside it: what follows from their numbers, and words.

    Figures stay as they are, but for those that are drawn from tables.

    Parameters
    ----------
    docs : Path
        Folder of the documentation, with the page of the budget.
    budget : Budget
        What the study was to sample.

    Returns
    -------
    list of Path
        The page, and the files that it shows.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.words.page import rewrite_page
    >>> rewrite_page(Path("docs"), find_budget("desk"))[0].name  # doctest: +SKIP
    'choo2000.md'
    """
    name, files = page_name(budget), list[Path]()
    for section in (*THESIS, *BEYOND):
        files += _write_table(table_of(section, docs, name), section, docs, name)
        images = (docs / "_static" / name / f"{draw.__name__}.png" for draw in section.figures)
        files += [path for path in images if path.is_file()]
    lines = (docs / "studies" / f"{name}.md").read_text(encoding="utf-8").splitlines()
    there = next(line for line in lines if line.startswith("Budget `"))
    return [write_text(docs, budget, there, set(files)), *files]


def _there(results: Results) -> str:
    folders = results.folder.iterdir() if results.folder.is_dir() else ()
    count = sum(is_saved(results.folder, path.name) for path in folders)
    text = f"Budget `{results.budget.name}`, {count} results."
    if (part := results.budget.passes / PASSES) < 1:
        text += (
            f" **Its chains have {part:.1%} of the thesis's passes: they show that everything "
            "runs, and their numbers are not to be compared.**"
        )
    return text


def write_files(results: Results, section: Section, docs: Path) -> list[Path]:
    """Write table and figures of a section, as far as there are results for them.

    Parameters
    ----------
    results : Results
        What to show.
    section : Section
        The section.
    docs : Path
        Folder of the documentation.

    Returns
    -------
    list of Path
    """
    name, written = page_name(results.budget), list[Path]()
    if section.table is not None:
        written += _write_table(section.table(results), section, docs, name)
    with drawing():
        figures = {draw.__name__: draw(results) for draw in section.figures}
        return written + _save(figures, docs, name)


def _write_table(table: pd.DataFrame, section: Section, docs: Path, name: str) -> list[Path]:
    """Write a table with what follows from its numbers, and the figures that it has."""
    if table.empty:
        return []
    path = table_path(section, docs, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    judged_table = section.judge(table) if section.judge else table
    judged_table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    with drawing():
        plots = {draw.__name__: draw(judged_table) for draw in section.plots}
        return [path, *_save(plots, docs, name)]


def _save(figures: dict[str, Figure | None], docs: Path, name: str) -> list[Path]:
    written = []
    for title, figure in figures.items():
        if figure is not None:
            path = docs / "_static" / name / f"{title}.png"
            save(figure, path)
            written.append(path)
    return written


def summary(folder: Path, budget: Budget) -> Table:
    """Table for a terminal: g of every method at every width, and its ratio to Gibbs's.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.words.page import summary
    >>> summary(Path("nothing"), find_budget("smoke")).row_count
    0
    """
    results = Results(Path(folder), budget)
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
