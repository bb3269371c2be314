"""The page of the documentation that shows the study beside the thesis."""

from pathlib import Path

import numpy as np
from rich.table import Table

from ..markdown import markdown, shown
from ..unit_store import is_saved
from . import beyond, tables
from .budgets import PASSES, Budget
from .drawing import drawing, save
from .results import Results
from .sections import BEYOND, THESIS, Section
from .words import what_differs

NAME = "choo2000"
NOTE = "% written by pymc-bnn study choo2000 --docs docs"
NOTHING = "*No results yet.*"
AT_LENGTH = "paper"  # the budget that has a page of its own, beside that of the others
HEAD = f"""{NOTE}

# Choo (2000): hyperparameters by Hamiltonian dynamics

K. Choo's thesis asks whether the precisions of a network's weights should move along trajectories,
by themselves (Dynamical A) or together with the weights they scale (Dynamical B), rather than by
Gibbs draws in between. Here the study is run again: numbers of its chapters 5 and 6 stand beside
ours. Methods that the thesis does not have are measured by the same yardstick: interweaving, by
itself and with the last layer integrated out (collapsed Gibbs), and Dynamical A with tethers;
[](../why_gibbs_crawls.md) explains them. Master runs *with interweaving* are collapsed Gibbs's.

A $z$ is a difference in standard errors of both. Where it says *agrees*, differences are what
chance would give. The numbers are kept as CSV files beside this page.
"""


def page_name(budget: Budget) -> str:
    """Name of the page, and of the folders of its tables and figures.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.page import page_name
    >>> [page_name(find_budget(name)) for name in ("desk", "paper")]
    ['choo2000', 'choo2000_paper']
    """
    return f"{NAME}_{budget.name}" if budget.name == AT_LENGTH else NAME


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
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.page import write_page
    >>> [path.name for path in write_page(Path("nothing"), find_budget("smoke"), Path("docs"))]
    ['choo2000.md']
    """
    results = Results(Path(folder), budget)
    page = Path(docs) / "studies" / f"{page_name(budget)}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    written: list[Path] = [page]
    parts, missing = [_head(budget), _there(results)], list[str]()
    for title, sections in (("The thesis again", THESIS), ("Beyond the thesis", BEYOND)):
        texts = list[str]()
        for section in sections:
            text, files = write_section(results, section, Path(docs))
            texts += [text] if files else []
            missing += [] if files else [section.title]
            written += files
        parts += [f"## {title}\n", *texts] if texts else []
    if missing:
        parts.append(f"## Not run yet\n\n{NOTHING} {'; '.join(missing)}.\n")
    parts.append(f"## What differs, and why\n\n{what_differs(budget.name)}")
    page.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return written


def _head(budget: Budget) -> str:
    long = budget.name == AT_LENGTH
    return HEAD.replace("dynamics\n", "dynamics, at the thesis's lengths\n", 1) if long else HEAD


def _there(results: Results) -> str:
    folders = results.folder.iterdir() if results.folder.is_dir() else ()
    count = sum(is_saved(results.folder, path.name) for path in folders)
    text = f"Budget `{results.budget.name}`, {count} results."
    if (part := results.budget.passes / PASSES) < 1:
        text += (
            f" **Its chains have {part:.1%} of the thesis's passes: they show that everything "
            "runs, and their numbers are not to be compared.**"
        )
    return f"{text}\n"


def write_section(results: Results, section: Section, docs: Path) -> tuple[str, list[Path]]:
    """Write the files of a section and return its text.

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
    text : str
        Of the page.
    written : list of Path
        Figures and table.
    """
    parts, written = [f"### {section.title}", section.text], list[Path]()
    if section.table is not None:
        table = section.table(results)
        if table.empty:
            parts.append(NOTHING)
        else:
            path = docs / "studies" / page_name(results.budget) / f"{section.table.__name__}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
            written.append(path)
            shown = markdown(table)
            parts += [section.words(table)] if section.words else []
            parts.append(_folded(shown) if section.folded else shown)
    figures = _write_figures(results, section, docs)
    for path, caption in figures:
        image = f"../_static/{page_name(results.budget)}/{path.name}"
        parts.append(f"```{{figure}} {image}\n:alt: {caption}\n\n{caption}\n```")
    if section.table is None and not figures:
        parts.append(NOTHING)
    return "\n\n".join(parts) + "\n", written + [path for path, _ in figures]


def _write_figures(results: Results, section: Section, docs: Path) -> list[tuple[Path, str]]:
    written = []
    for draw in section.figures:
        with drawing():
            figure = draw(results)
            if figure is not None:
                path = docs / "_static" / page_name(results.budget) / f"{draw.__name__}.png"
                save(figure, path)
                written.append((path, (draw.__doc__ or "").strip().splitlines()[0]))
    return written


def _folded(text: str) -> str:
    return f"<details><summary>All numbers</summary>\n\n{text}\n\n</details>"


def summary(folder: Path, budget: Budget) -> Table:
    """Table for a terminal: g of every method at every width, and its ratio to Gibbs's.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.page import summary
    >>> summary(Path("nothing"), find_budget("smoke")).row_count
    0
    """
    results = Results(Path(folder), budget)
    keys = ["method", "hidden units"]
    found, gains = tables.geometric_means(results), beyond.gains(results)
    grid = Table(title="Geometric mean of variances of means (90% interval), and over Gibbs's")
    for name in (*keys, "g", "thesis", "over Gibbs's"):
        grid.add_column(name, justify="left" if name == "method" else "right")
    if found.empty:
        return grid
    for _, row in found.merge(gains, "left", keys, suffixes=("", " of ratio")).iterrows():
        g = f"{row['g']:.3g} ({row['low']:.3g}-{row['high']:.3g})"
        ratio = f"{row['ratio']:.3g} ({row['low of ratio']:.3g}-{row['high of ratio']:.3g})"
        both = [shown("g", row["thesis"]), ratio if np.isfinite(row["ratio"]) else ""]
        grid.add_row(row["method"], str(row["hidden units"]), g, *both)
    return grid
