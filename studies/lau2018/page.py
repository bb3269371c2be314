"""The page of the documentation that shows the study beside the thesis."""

from pathlib import Path

from rich.table import Table

from ..markdown import markdown, shown
from ..unit_store import is_saved
from . import choice
from .budgets import Budget
from .experiments import THESIS as TABLES
from .results import Results
from .sections import BEYOND, THESIS, Section

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
finds equally good, with errors from 20.6% to 28.6%, as drawn classes would have (see below).

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
    >>> from pymc_bnn.studies.lau2018.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.page import write_page
    >>> [path.name for path in write_page(Path("nothing"), find_budget("smoke"), Path("docs"))]
    ['lau2018.md']
    """
    results, page = Results(Path(folder), budget), Path(docs) / "studies" / f"{NAME}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    parts, written = [HEAD, _there(results)], [page]
    for title, sections in (("The thesis again", THESIS), ("Beyond the thesis", BEYOND)):
        parts.append(f"## {title}\n")
        for section in sections:
            text, path = write_section(results, section, Path(docs))
            parts.append(text)
            written += [path] if path else []
    parts.append(f"## What differs, and why\n\n{what_differs(budget)}")
    page.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return written


def _there(results: Results) -> str:
    folders = results.folder.iterdir() if results.folder.is_dir() else ()
    count = sum(is_saved(results.folder, path.name) for path in folders)
    length = results.budget.thesis
    text = (
        f"Budget `{results.budget.name}`, {count} results; {length.chains} chains of {length.tune} "
        f"warm-up and {length.draws} recorded draws for most rows of the thesis's tables, which "
        "has 4 of 1000 and 1000."
    )
    usual, full = results.budget.beyond, results.budget.on_codes
    if full is not None:
        text += (
            f" The networks to choose from have {usual.chains} chains of {usual.tune} and "
            f"{usual.draws}; those on codes {full.chains} of {full.tune} and {full.draws} when "
            "they are fitted to all training cases."
        )
    every = [row for name in TABLES for row in results.budget.table(name)]
    missing = len(every) - sum(is_saved(results.folder, row.key) for row in every)
    if missing:
        text += f" Of the {len(every)} rows of its tables {missing} have not been run yet."
    if length.draws < 50:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return f"{text}\n"


def write_section(results: Results, section: Section, docs: Path) -> tuple[str, Path | None]:
    """Write the table of a section and return its text.

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
    path : Path or None
        Of the table, if it is not empty.
    """
    parts = [f"### {section.title}", section.text]
    table = section.table(results)
    if table.empty:
        return "\n\n".join([*parts, NOTHING]) + "\n", None
    path = docs / "studies" / NAME / f"{section.table.__name__}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
    parts += [section.words(results)] if section.words else []
    text = markdown(table)
    if section.folded:
        text = f"<details><summary>All numbers</summary>\n\n{text}\n\n</details>"
    return "\n\n".join([*parts, text]) + "\n", path


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.page import what_differs
    >>> "grey levels" in what_differs(find_budget("paper"))
    True
    """
    left_out = sum(len(TABLES[name]()) - len(budget.table(name)) for name in TABLES)
    return f"""- The thesis does not say how it scales inputs. Its tables are run on the grey levels
  that scikit-learn has, 0 to 16.
- It does not say what *dynamic HMC* is where it is not being compared; here it is NUTS with a
  target acceptance of 0.9.
- Which weights have the prior in Table 4.10 is not said; here all have.
- The size of SGHMC's minibatches is not said; here it is 32. Its updates are those of Chen et al.
  (2014), learning rates multiply the gradient of the whole log posterior, and on raw inputs only
  the smallest one of the grid, 0.0001, is a stable step. As Algorithm 16 is printed, nothing of the
  old velocity would be left after an update and the noise would lack the learning rate; how it was
  run, and what its learning rates multiply, the thesis does not say.
- Chains start from dispersed points of fan-in scaled normal weights.
- Rows of the thesis that budget `{budget.name}` leaves out: {left_out}.
- Random numbers and the arithmetic are others.
"""


def summary(folder: Path, budget: Budget) -> Table:
    """Table for a terminal: the networks that were chosen without the test cases.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.budgets import find_budget
    >>> from pymc_bnn.studies.lau2018.page import summary
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
