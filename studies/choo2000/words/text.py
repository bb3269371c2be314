"""The text of the study's page, from the tables and figures that are there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from ...reproduction.markdown import markdown
from ..design.budgets import Budget
from ..design.published import published
from .sections import BEYOND, THESIS, Section

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

A $z$ is a difference in standard errors of both. Numbers *differ* where one difference is too large
to be the largest of so many, where more of them are beyond two standard errors than chance gives,
or where they are beyond two standard errors all together, for which a common sign counts. They
*agree* where nothing of the kind is seen and two standard errors around the mean difference lie
within the share of the value that is stated; all else is *undecided*. Rows that share start states
or chains are correlated by an unknown amount: where two $z$ of all together are given, the first
takes such rows as one, the second as independent, and to differ takes the first. A target is *met*
or *missed* by its whole interval, and else *undecided*. The numbers are kept as CSV files beside
this page, and the text follows from them.
"""


def page_name(budget: Budget) -> str:
    """Name of the page, and of the folders of its tables and figures.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.budgets import find_budget
    >>> from pymc_bnn.studies.choo2000.words.text import page_name
    >>> [page_name(find_budget(name)) for name in ("desk", "paper")]
    ['choo2000', 'choo2000_paper']
    """
    return f"{NAME}_{budget.name}" if budget.name == AT_LENGTH else NAME


def table_path(section: Section, docs: Path, name: str) -> Path:
    """Where the table of a section is kept."""
    return docs / "studies" / name / f"{getattr(section.table, '__name__', '')}.csv"


def table_of(section: Section, docs: Path, name: str) -> pd.DataFrame:
    """Read the table of a section; empty if there is none."""
    path = table_path(section, docs, name)
    # a figure's number is a name
    return pd.read_csv(path, dtype={"figure": str}) if path.is_file() else pd.DataFrame()


def write_text(docs: Path, budget: Budget, there: str, files: set[Path]) -> Path:
    """Write the page.

    Parameters
    ----------
    docs : Path
        Folder of the documentation.
    budget : Budget
        What the study was to sample.
    there : str
        Says how many results there are.
    files : set of Path
        Tables and figures to show; sections without any are only named.

    Returns
    -------
    Path
        The page.
    """
    name = page_name(budget)
    page = docs / "studies" / f"{name}.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    parts, missing = [_head(budget), f"{there}\n"], list[str]()
    for title, sections in (("The thesis again", THESIS), ("Beyond the thesis", BEYOND)):
        texts = [(section.title, section_text(section, docs, name, files)) for section in sections]
        missing += [heading for heading, text in texts if not text]
        shown = [text for _, text in texts if text]
        parts += [f"## {title}\n", *shown] if shown else []
    if missing:
        parts.append(f"## Not run yet\n\n{NOTHING} {'; '.join(missing)}.\n")
    parts.append(f"## What differs, and why\n\n{what_differs(budget.name)}")
    page.write_text("\n".join(parts).rstrip() + "\n", encoding="utf-8")
    return page


def _head(budget: Budget) -> str:
    long = budget.name == AT_LENGTH
    return HEAD.replace("dynamics\n", "dynamics, at the thesis's lengths\n", 1) if long else HEAD


def section_text(section: Section, docs: Path, name: str, files: set[Path]) -> str:
    """Text of a section: what is shown, what the table says, the table and the figures.

    Parameters
    ----------
    section : Section
        The section.
    docs : Path
        Folder of the documentation.
    name : str
        Of the page.
    files : set of Path
        Tables and figures to show.

    Returns
    -------
    str
        Empty if there is nothing to show.
    """
    parts = list[str]()
    if table_path(section, docs, name) in files:
        table = table_of(section, docs, name)
        parts += [section.words(table)] if section.words else []
        parts.append(_folded(markdown(table)) if section.folded else markdown(table))
    elif section.table is not None:
        parts.append(NOTHING)
    draws: tuple[Callable[..., Any], ...] = (*section.figures, *section.plots)
    images = [draw for draw in draws if docs / "_static" / name / f"{draw.__name__}.png" in files]
    for draw in images:
        caption = (draw.__doc__ or "").strip().splitlines()[0]
        image = f"../_static/{name}/{draw.__name__}.png"
        parts.append(f"```{{figure}} {image}\n:alt: {caption}\n\n{caption}\n```")
    if not images and parts in ([], [NOTHING]):
        return ""
    return "\n\n".join([f"### {section.title}", section.text, *parts]) + "\n"


def _folded(text: str) -> str:
    return f"<details><summary>All numbers</summary>\n\n{text}\n\n</details>"


def what_differs(budget: str) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.text import what_differs
    >>> "17067" in what_differs("paper")
    True
    """
    runs = ", ".join(f"{n:,}" for n in published("master_runs")["samples"])
    return f"""- The budget is `{budget}`. The thesis's master runs have {runs}
  trajectories.
- True means, shares of the strata and posterior estimates come from the master run with
  interweaving; the thesis takes them from the old method's.
- A chain has 12 super-transitions. The thesis does not say how many; 12 is what its longest
  trajectory of 17067 leapfrog steps leaves. It makes $g$ comparable only as far as 12 recorded
  values give nearly the mean of a chain.
- Passes are equal as Table 5.5 counts them. Each density that interweaving evaluates is charged as
  one, also where the network's last layer is integrated out, which takes longer than a pass in
  networks as small as these; the passes that were made, and the time, are in the table.
- The grids of budgets below `paper` are smaller, so best settings can be missed.
- Random numbers, the order of the variables and the arithmetic are others.
- In Table 5.12 three of the printed $g$ are not the geometric means of their rows: Dynamical A with
  8 hidden units prints 0.1039 where its row gives 0.1028, Dynamical B with 8 prints 0.0683 (0.1063)
  and with 16 prints 0.0731 (0.0744). Both are shown, and what is said follows the recomputed ones.
"""
