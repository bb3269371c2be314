"""The page of the documentation that shows the study beside the paper."""

from collections.abc import Sequence

import pandas as pd
from rich.table import Table

from ...pages.kept_tables import Format, Tables
from ...pages.markdown import shown
from ...pages.page import Page
from ...reproduction.claims import count_verdicts
from ...reproduction.results import Results
from ..design.budgets import BUDGETS, Budget
from ..design.networks import NETWORKS
from ..design.printed import ACCEPTED
from ..design.sweeps import HOTTER
from ..numbers.derived import curves
from ..numbers.ladders import PAIRS, factor, factors, ratios
from ..numbers.levels import ALIKE, widened
from ..numbers.tables import minimised, temperatures
from ..runs.measuring import ACCEPTANCE
from .amounts import how_much, what_differs
from .judgements import APART, FAR, FILLED, LOCAL, MIXED, NATS, NEAR, NEARLY, SAME
from .of_ladders import DESK, LADDERS, TITLES, ladders_of
from .sections import BEYOND, DERIVED, PAPER, SOURCES
from .short import IN_SHORT

HEAD = """% written by pymc-bnn study baldock2019 --docs docs

# Baldock & Marzari (2019): temperature and evidence

Networks of logistic units on few MNIST images, at temperatures that weaken or strengthen the
likelihood. Errors are mean negative log probabilities of a case in nats.
"""
PAPER_SAYS = """The paper samples networks with weights that are uniform in a box. It says that
sampling predicts better than minimising, that the best temperature is often not 1, that no sharp
transition lies between networks that fit and networks that do not, and that a network with one
hidden layer, M(1), is more probable than one with three, M(3), by many orders of magnitude. The
numbers are kept as CSV files beside this page.
"""
RULES = {
    "less": "numbers are less than others. Stands if the interval of every difference lies below "
    "zero, fails if one lies above.",
    "least": "the least test error of each chain, at whatever temperature, is less or more than a "
    "number, in the mean over chains. Stands if the interval of the difference lies on the side "
    "that the claim says, fails if it lies on the other. The least of many numbers is somewhat too "
    "small, by their errors.",
    "best": "the temperature of the least test error lies in a range. Each chain has one, of the "
    "temperatures that it went through; their geometric mean has an interval by their spread, or "
    "by the errors of the test errors if these move it more, and by the steps between "
    "temperatures. Of ordinary tables each split has one, and the interval is by the spread of "
    "splits and by the steps alone. Stands if the interval lies in the range, fails if it lies "
    f"outside as a whole; what is printed of it ends where temperatures end. *About 1* is within "
    f"a factor of {NEAR:.2g}; *far below 1* is up to {FAR:g}. Nothing is decided where chains of a "
    f"table disagree at a temperature that is compared: where R-hat of their log likelihoods is "
    f"above {APART:g}.",
    "same": f"two errors are {NEARLY}, of their mean, or two log evidences within {NATS:.1f} nats, "
    "a factor of twenty as models are compared by: a share of a logarithm has no meaning. Stands "
    "if the interval of the difference lies within that on both sides of zero, fails if it lies "
    "outside as a whole.",
    "as printed": "a number is what it should be, as printed in the paper or known exactly. "
    "Fails if the interval of the difference does not reach zero; stands if it does and ours is "
    f"known to {SAME:.0%} of the other one, or a log evidence to {NATS:.1f} nats.",
    "good enough": "one error is hardly above another. Stands if the intervals of all differences "
    f"end below {SAME:.0%} of the least error, fails if one begins above that.",
    "agree": "chains have the same log likelihoods. Stands if R-hat of these is at most "
    f"{MIXED:g}, fails if it is above {APART:g}.",
    "fills": "weights fill the box as the prior does. Stands if their root mean square is above "
    f"{FILLED:g} of that of the prior in all chains, fails if it is below {LOCAL:g} in all.",
    "same choice": "differences have one sign. Stands if there are two or more and all intervals "
    "lie on the same side of zero, fails if two lie on opposite sides.",
    "no jump": "no first-order transition shows at the temperatures that there are. It is a peak, "
    "a heat capacity above twice those of both neighbouring temperatures, or a jump, a mean "
    "energy that changes over a step by more than twice what the heat capacity at either end "
    "allows. Stands if of each temperature and of each step an interval lies below that, fails if "
    "both intervals of one lie above. A weaker transition within a step does not show. Chains "
    "that are cooled and heated have to agree (no hysteresis), or nothing is decided: *same* has "
    "to stand for their integrals, and neither the interval of that difference nor that of a mean "
    "energy's may lie on one side of zero.",
}
HOW = (
    "A verdict follows from a rule on the numbers of these tables, and is about runs of their "
    "length. What a rule does not say stands or fails is **undecided**. A mean over chains has the "
    "larger of two standard errors, that of the chains' own draws and that of the chains' spread, "
    "and the latter widens its interval where chains are few; so does the former where there is "
    "one chain. Chains' own errors of training and test errors are often too small, as short "
    "chains do not see how slowly they go. They are multiplied by a factor, one for each network, "
    "number of cases, kind of walls and direction: the root mean square, over temperatures, of "
    "the difference of the chains over its own error, if that is above 1. Of the intervals "
    "without and with it the wider one counts. Where there is one chain of a direction nothing "
    "tells. Chains' own errors of log evidences are by the jackknife over blocks of draws, in "
    "which there are few, and are often too small as well. Here each network has one factor, over "
    "all its numbers of cases and both directions, as there is one number of each chain: the root "
    "mean square, over pairs of chains that begin alike, of their difference over its own error, "
    "if that is above 1. Errors then have no more degrees of freedom than there are such pairs of "
    "the network, whatever the factor. A network without a pair has the factor of all pairs of "
    "the page, and one degree of freedom. Again the wider interval counts. Means of errors and of "
    "log evidences over cooled and heated chains together are of two, one of each direction, where "
    "these differ by more than the standard error of their difference: then half of it is the "
    "error, with one degree of freedom, as chains that begin alike share what keeps them apart "
    "from the others. This, and how near log evidences are the same, was asked after results were "
    "known. Intervals hold "
    "with 95% for all differences of a claim at once. Each claim is judged by itself: of twenty "
    "claims about one has an interval that misses by chance, and rules without "
    "intervals, *agree* and *fills*, have no such rate. An estimate with cautions of its own "
    "decides nothing: what rests on it is undecided, whatever its interval, and the cautions are "
    "named. The rules say that"
)


def about(run: pd.Series, budget: Budget) -> str:
    """Say what the paper says, which page has what else, and how much was run."""
    other = DESK if ladders_of(budget) else LADDERS
    return "\n".join([PAPER_SAYS + other, how_much(run, budget)])


def how() -> str:
    """Say how claims are judged: what a verdict is, and each rule."""
    return "\n".join([f"{HOW}\n", *(f"- *{name}*: {text}" for name, text in RULES.items())])


def how_judged(tables: Tables) -> Sequence[str]:
    """What was reached, how claims are judged, and how many stand."""
    counts = count_verdicts(tables, {"of the paper": PAPER, "of this page": BEYOND})
    said = f"## How claims are judged\n\n{how()}\n", "".join(f"{line}\n" for line in counts)
    return *filter(None, [reached(tables)]), *said


def reached(tables: Tables) -> str:
    """Say what share of trajectories was accepted, beside what was aimed at (3.3.2)."""
    table = tables.get("temperatures", pd.DataFrame())
    if table.empty:
        return ""
    every = table[table["walls"] == "reflect"]
    rows = every[every["temperature"] < HOTTER[0]]
    low, high = ACCEPTED
    share = rows["acceptance"].between(low, high).mean()
    text = (
        f"Step sizes are learnt to an acceptance of {ACCEPTANCE:g}. What was reached between "
        f"reflecting walls, at the paper's temperatures, is {rows['acceptance'].median():.2f} in "
        f"the median over chains and temperatures, and {share:.0%} are within the paper's {low:g} "
        f"to {high:g}."
    )
    return f"{text} {_factors(every)} {_of_evidence(tables)}".rstrip() + "\n"


def _of_evidence(tables: Tables) -> str:
    """Say by how much ladders' own errors of log evidences are too small."""
    table = tables.get("evidence", pd.DataFrame())
    found = ratios(table) if len(table) else table
    if found.empty:
        return ""
    own = factors(table).loc[found["network"].unique()]
    each = ", ".join(
        f"{NETWORKS[str(name)].title} {one['factor']:.2g} ({one[PAIRS]:.0f})"
        for name, one in own.iterrows()
    )
    return (
        "Those of log evidences, by network with the number of pairs in brackets: "
        f"{each}; of all {found[PAIRS].sum():.0f} pairs together {factor(found):.2g}."
    )


def _factors(rows: pd.DataFrame) -> str:
    """Say by how much chains' own errors of test errors are too small."""
    rows = widened(rows[rows.groupby(ALIKE)["chain"].transform("nunique") > 1])
    if rows.empty:
        return ""
    factor = (rows["wide ± test"] / rows["± test"]).groupby([rows[name] for name in ALIKE]).max()
    return (
        "The factors that the rules below give to chains' own errors of test errors are "
        f"{factor.min():.2g} to {factor.max():.2g} there, {factor.median():.2g} in the median."
    )


PAGE = Page(
    name="baldock2019",
    head=lambda budget: HEAD.replace(*TITLES) if ladders_of(budget) else HEAD,
    there=about,
    sources=SOURCES,
    parts={"The paper again": PAPER, "Beyond the paper": BEYOND},
    differs=what_differs,
    derived=DERIVED,
    in_short=IN_SHORT,
    preface=how_judged,
    alone=tuple(name for name, budget in BUDGETS.items() if ladders_of(budget)),
    format=Format(text=("cautions",)),
)


def summary(results: Results[Budget]) -> Table:
    """Table for a terminal: errors of M(3) at T = 1.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.baldock2019.words.page import summary
    >>> from pymc_bnn.studies.reproduction.results import Results
    >>> summary(Results(Path("nothing"), BUDGETS["smoke"])).row_count
    0
    """
    grid = Table(title="Errors per case at T = 1, in nats")
    names = ["network", "cases", "walls", "direction", "training error", "test error", "predictive"]
    for name in (*names, "minimised"):
        grid.add_column(name)
    found = curves({"temperatures": temperatures(results), "minimised": minimised(results)})
    rows = found[found["temperature"].round(9) == 1.0] if len(found) else found
    for _, row in rows.iterrows():
        grid.add_row(*(shown(name, row[name]) for name in (*names, "minimised")))
    return grid
