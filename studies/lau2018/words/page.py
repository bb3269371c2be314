"""The page of the documentation that shows the study beside the thesis."""

from pathlib import Path

import pandas as pd
from rich.table import Table

from ...reproduction.markdown import markdown, shown
from ...reproduction.unit_store import is_saved
from ..design.budgets import Budget, find_budget
from ..design.experiments import THESIS as TABLES
from ..numbers import choice
from ..numbers.results import Results
from .claims import Tables, how
from .conclusions import counted
from .kept import keep, read, read_all
from .sections import BEYOND, DERIVED, SOURCES, THESIS, Section
from .unlike import what_differs

NAME = "lau2018"
NOTHING = "*No results yet.*"
HEAD = """% written by pymc-bnn study lau2018 --docs docs

# Lau (2018): dynamic HMC, priors and model choice on digits

Y. S. Lau's thesis samples a network with 35 tanh units and no biases on 500 of scikit-learn's
digits, and asks which sampler, prior and width predict 500 others best. Here its tables are run
again, its numbers beside ours.

A test error comes with two standard errors: *± chains* is from the sampling (the spread of the
chains' own test errors over the root of their number), *± cases* from having 500 test cases. The
latter is common to all rows, so that differences are known better: below they are compared case by
case. The thesis gives neither. It samples its standard network again and again, by samplers that it
finds equally good, with errors from 20.6% to 28.6%.

*Outputs* are the class probabilities of the test cases. The numbers are kept as CSV files beside
this page.
"""


def write_page(folder: Path, budget: Budget, docs: Path) -> list[Path]:
    """Write the page and its tables, from all results that are there.

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
        The files written: ``studies/lau2018.md`` and tables in ``studies/lau2018``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.design.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.words.page import write_page
    >>> [path.name for path in write_page(Path("nothing"), find_budget("smoke"), Path("docs"))]
    ['lau2018.md', 'run.csv']
    """
    results = Results(Path(folder), budget)
    tables = {name: source(results) for name, source in SOURCES.items()}
    there = {"run": _run(results)} | {name: table for name, table in tables.items() if len(table)}
    files = keep(there, _folder(docs))
    # what the page says follows from the files alone
    page = _write(docs, {name: read(path) for name, path in files.items()})
    return [page, *files.values()]


def rewrite_page(docs: Path) -> Path:
    """Write the page anew from the tables beside it, without the results that they are from.

    Parameters
    ----------
    docs : Path
        Folder of the documentation, with tables that :func:`write_page` wrote.

    Returns
    -------
    Path
        The page.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.design.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.words.page import rewrite_page, write_page
    >>> page, *_ = write_page(Path("nothing"), find_budget("smoke"), Path("docs"))
    >>> before = page.read_text(encoding="utf-8")
    >>> rewrite_page(Path("docs")).read_text(encoding="utf-8") == before
    True
    """
    return _write(docs, read_all(_folder(docs)))


def _folder(docs: Path) -> Path:
    return Path(docs) / "studies" / NAME


def _write(docs: Path, tables: Tables) -> Path:
    budget = find_budget(str(tables["run"]["budget"].iloc[0]))
    parts = [HEAD, _there(tables["run"], budget)]
    parts += [f"## How claims are judged\n\n{how()}\n", f"{counted(tables)}\n"]
    for title, sections in (("The thesis again", THESIS), ("Beyond the thesis", BEYOND)):
        parts += [f"## {title}\n", *(section_text(tables, section) for section in sections)]
    parts.append(f"## What differs, and why\n\n{what_differs(budget)}")
    page = _folder(docs).with_suffix(".md")
    page.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return page


def _run(results: Results) -> pd.DataFrame:
    """How much there is: the budget, and how many results and rows of the thesis's tables."""
    folders = results.folder.iterdir() if results.folder.is_dir() else ()
    count = sum(is_saved(results.folder, path.name) for path in folders)
    every = [row for name in TABLES for row in results.budget.table(name)]
    missing = len(every) - sum(is_saved(results.folder, row.key) for row in every)
    row = {"budget": results.budget.name, "results": count, "rows": len(every), "missing": missing}
    return pd.DataFrame([row])


def _there(run: pd.DataFrame, budget: Budget) -> str:
    count, every, missing = (int(run[name].iloc[0]) for name in ("results", "rows", "missing"))
    length, usual, full = budget.thesis, budget.beyond, budget.on_codes
    text = (
        f"Budget `{budget.name}`, {count} results; {length.chains} chains of {length.tune} "
        f"warm-up and {length.draws} recorded draws for most rows of the thesis's tables, which "
        "has 4 of 1000 and 1000."
    )
    if full is not None:
        text += (
            f" The networks to choose from have {usual.chains} chains of {usual.tune} and "
            f"{usual.draws}; those on codes {full.chains} of {full.tune} and {full.draws} when "
            "they are fitted to all training cases."
        )
    if missing:
        text += f" Of the {every} rows of its tables {missing} have not been run yet."
    if length.draws < 50:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return f"{text}\n"


def section_text(tables: Tables, section: Section) -> str:
    """Write a section of the page: what is shown, what is concluded, and the table.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        All that are there.
    section : Section
        The section.
    """
    parts = [f"### {section.title}", section.text]
    make = DERIVED.get(section.table)
    table = tables.get(section.table) if make is None else make(tables)
    if table is None or table.empty:
        return "\n\n".join([*parts, NOTHING]) + "\n"
    parts += [section.words(tables)] if section.words else []
    text = markdown(table)
    if section.folded:
        text = f"<details><summary>All numbers</summary>\n\n{text}\n\n</details>"
    return "\n\n".join([*parts, text]) + "\n"


def summary(folder: Path, budget: Budget) -> Table:
    """Table for a terminal: the networks that were chosen without the test cases.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.design.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.words.page import summary
    >>> summary(Path("nothing"), find_budget("smoke")).row_count
    0
    """
    found = choice.chosen(Results(Path(folder), budget))
    grid = Table(title="Networks chosen by the training cases, and how they do on the test cases")
    for name in found:
        grid.add_column(str(name))
    for _, row in found.iterrows():
        grid.add_row(*(shown(str(name), value) for name, value in row.items()))
    return grid
