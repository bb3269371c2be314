"""The page of the documentation."""

import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from rich.table import Table

from ..pages.in_short import Answer, InShort
from ..pages.markdown import shown
from ..pages.page import Page, Source
from ..pages.sections import Picture, Section
from ..reproduction.results import Results
from . import numbers, words
from .budgets import FOLDS, Budget
from .fits import NETWORK, OURS
from .judgements import how
from .ordinary import MORE, TABLES

HEAD = """% written by pymc-bnn study peers --docs docs

# Beside other regressions

`BNNRegressor` with the same noise for all rows, its default when this was run, and with noise of
its own for each row, between which it now [chooses](../noise_by_row.md), beside Bayesian deep
ensembles ([sklearn-contrib-bde](https://github.com/scikit-learn-contrib/bde) with the settings of
its README), a Gaussian process, boosted trees and a linear model (scikit-learn): the same folds,
the same scores. Five of the eight tables had not been looked at when the defaults were chosen. The
numbers are kept as CSV files beside this page.
"""
BESIDE, DRAWS = "Scores beside the best of the others", "Draws and seconds"


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    whole = len(budget.tables) * budget.folds
    text = (
        f"Budget `{budget.name}`: {int(run['results'])} of {whole} folds. The rows of each of "
        f"{len(budget.tables)} tables are split into {FOLDS} folds, of which {budget.folds} are "
        "left out in turn."
    )
    if budget.rows is not None:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return text


def differences(table: pd.DataFrame) -> Figure | None:
    """Draw log scores of the network less those of all others, by table."""
    table = table[table["ours"] == NETWORK]
    if table.empty:
        return None
    names, peers = list(table["table"].unique()), list(table["peer"].unique())
    figure, axes = plt.subplots(figsize=(7, 0.6 * len(names) + 1.2), layout="constrained")
    for k, peer in enumerate(peers):
        rows = table[table["peer"] == peer]
        places = [names.index(name) + 0.15 * (k - (len(peers) - 1) / 2) for name in rows["table"]]
        errors = 2 * rows["error of log score"]
        axes.errorbar(rows["log score"], places, xerr=errors, fmt="o", label=f"less {peer}")
    axes.axvline(0, color="0.5", linewidth=0.8)
    axes.set_yticks(range(len(names)), names)
    axes.set_xscale("symlog", linthresh=0.5)
    axes.set_xlabel("log score of the network less that of others, nats a row; 2 errors each way")
    axes.invert_yaxis()
    axes.legend(fontsize="small")
    return figure


PICTURE = Picture(
    "differences",
    "Log scores of the network with the same noise for all rows less those of others, row by row; "
    "right of the line the network is better. The axis is logarithmic beyond half a nat.",
    differences,
)
SECTIONS = (
    Section(
        BESIDE,
        "*Ahead* is the mean over all rows of the difference to the best of the others: in nats, "
        "or in squared standard deviations of the training targets.",
        "places",
        words.beside,
        folded=True,
    ),
    Section(
        "All differences",
        "Above 0 ours is better. *Times* is how many times as long it takes; noise by row runs no "
        "pilots here, so that its times are too small by these.",
        "against",
        plots=(PICTURE,),
        folded=True,
    ),
    Section(
        DRAWS,
        "RMSE in standard deviations of the training targets. *Usable* counts folds. Seconds are "
        "medians of folds, each on about one of two cores, compilation included. Pilots are "
        "included for the network, and not for noise by row, which takes the layers they chose.",
        "scores",
        words.draws,
    ),
)
SHORT = InShort(
    (
        *(
            Answer(
                f"By {measure}, is the {words.called(ours)} {words.BEST}, on "
                f"at least {words.WANTED[measure]} of {len(TABLES)} tables?",
                BESIDE,
                f"By {measure} the {words.called(ours)} is",
            )
            for measure in words.WANTED
            for ours in OURS
        ),
        Answer(
            f"Can draws of the {NETWORK} be used, on at least {words.WANTED_USABLE} of "
            f"{len(TABLES)} tables?",
            DRAWS,
            f"Draws of the {NETWORK} are",
        ),
        Answer(
            "Does noise of its own for each row score better than the same noise for all, on at "
            f"least {words.MOST} of {len(TABLES)} tables?",
            BESIDE,
            "By log score noise by row is better",
        ),
    ),
    PICTURE.name,
)


def what_differs(budget: Budget) -> str:
    """Say what is compared how, and how claims are judged."""
    more = " ".join(f"--with {name}" for name in MORE)
    return f"""- Rows are put in a random order and split into five folds; encodings and scales are
  those of the training rows. Countries of Gapminder and firms of Grunfeld have rows in all folds.
- The network with noise by row takes the layers that the other one chose by its pilot runs, and
  its seconds are without these.
- The Gaussian process is left out above 1000 training rows. Boosted trees and the linear model have
  normal predictive distributions; the noise of trees is that of cross-validated residuals.
- Errors of means over rows take rows for independent. They are not: a country of Gapminder has 12
  rows, a firm of Grunfeld 20, weeks of co2 follow each other, and folds share training rows. Each
  fold was fitted once, with one seed. Errors are too small for all this, by an unknown amount, and
  intervals too narrow.
- Two folds ran at a time, and other jobs beside the first third of them: ratios of seconds are
  within a fold, for the same reason.
- Ensembles run in a process of their own, whose imports do not count.
- The whole of it runs by `uv run {more} pymc-bnn study peers`.

## How claims are judged

{how()}
"""


PAGE = Page(
    name="peers",
    head=lambda budget: HEAD,
    there=how_much,
    sources={"scores": Source(numbers.scores), "against": Source(numbers.against)},
    parts={"Eight tables": SECTIONS},
    differs=what_differs,
    derived={"places": numbers.places},
    in_short=SHORT,
)


def summary(results: Results[Budget]) -> Table:
    """Table for a terminal: the scores."""
    grid = Table(title="Scores of rows that were left out")
    names = ["table", "contender", "RMSE", "log score", "seconds"]
    for name in names:
        grid.add_column(name)
    for _, row in numbers.scores(results).iterrows():
        grid.add_row(*(shown(name, row[name]) for name in names))
    return grid
