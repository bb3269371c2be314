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
from ..design.images import IMAGES
from ..numbers.derived import curves
from ..numbers.tables import minimised, temperatures
from .judgements import how
from .of_ladders import DESK, LADDERS, TITLES, ladders_differ, ladders_of, of_ladders
from .sections import BEYOND, DERIVED, PAPER, SOURCES
from .short import IN_SHORT

HEAD = """% written by pymc-bnn study baldock2019 --docs docs

# Baldock & Marzari (2019): temperature and evidence

The paper samples networks of logistic units with weights that are uniform in a box, on few MNIST
images, at temperatures that weaken or strengthen the likelihood. It says that sampling predicts
better than minimising, that the best temperature is often not 1, that no sharp transition lies
between networks that fit and networks that do not, and that a network with one hidden layer, M(1),
is more probable than one with three, M(3), by many orders of magnitude.

Errors are mean negative log probabilities of a case in nats. The numbers are kept as CSV files
beside this page.
"""


def how_judged(tables: Tables) -> Sequence[str]:
    """How claims are judged, and how many stand."""
    counts = count_verdicts(tables, {"of the paper": PAPER, "of this page": BEYOND})
    return f"## How claims are judged\n\n{how()}\n", "".join(f"{line}\n" for line in counts)


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    if ladders_of(budget):
        return of_ladders(run, budget)
    cases = ", ".join(str(c) for c in sorted({sweep.cases for sweep in budget.sweeps}))
    text = (
        f"Budget `{budget.name}`, {int(run['results'])} results: at each temperature "
        f"{budget.draws} trajectories of {budget.leapfrogs} leapfrog steps after {budget.tune} "
        f"that do not count, with {cases} training cases."
    )
    if budget.draws < 20:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return text


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the paper.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.baldock2019.words.page import what_differs
    >>> "reflect" in what_differs(BUDGETS["smoke"])
    True
    """
    if ladders_of(budget):
        return ladders_differ(budget)
    largest = max(sweep.cases for sweep in budget.sweeps)
    return f"""- The paper has the 70 000 images of MNIST; here are {IMAGES} of them, so that its
  largest training set has {largest} cases instead of 5000, and test cases are the other images.
  Which images it trains on it does not print.
- Temperatures are fewer than the paper's 112 and 84, and go on above 100 up to the prior, which
  evidence by a ladder needs.
- At each temperature a chain goes on from the one before, from the prior down or from a minimum up.
  The paper's chains change places instead, all from minima; one ladder shows that here.
- Walls reflect, through mirrored coordinates, unless they are said to reject.
- Step sizes are learnt in trajectories that do not count, to an acceptance of 0.65, the middle of
  the paper's range.
- M(3) has 13 970 weights; the paper says 10 690, which M(1) has.
- The increment of steps in Algorithm 3, 0.05 in the paper, is 0.05 of a first step size that is
  searched for.
- The bridge has fewer distributions and chains in budgets other than `paper`; the quadratic is
  fitted within the walls, and each chain has a minimum of its own, within the walls.
- All arithmetic is in double precision.
- Random numbers are others.
"""


PAGE = Page(
    name="baldock2019",
    head=lambda budget: HEAD.replace(*TITLES) + DESK if ladders_of(budget) else HEAD + LADDERS,
    there=how_much,
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
