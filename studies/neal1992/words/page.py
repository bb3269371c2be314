"""The page of the documentation that shows the study beside the report."""

import pandas as pd
from rich.table import Table

from ...pages.kept_tables import Format, Tables
from ...pages.markdown import shown
from ...pages.page import Page
from ...reproduction.claims import count_verdicts
from ...reproduction.results import Results
from ..design.budgets import Budget
from ..design.networks import SETS
from ..numbers.derived import by_cell
from ..numbers.tables import runs
from .costs import count, declared, least
from .judgements import how
from .sections import BEYOND, DERIVED, REPORT, SHORT, SOURCES

HEAD = """% written by pymc-bnn study neal1992 --docs docs

# Neal (1992): hybrid Monte Carlo with simulated annealing

The report trains networks on MacKay's robot arm by Hamiltonian Monte Carlo whose momentum begins
hot and is cooled. It says that annealing makes failures fewer, that runs without it often stay
stuck, typically by high rejection rates, that the Metropolis algorithm is much worse, and that
predictions are as good as those of MacKay's Gaussian approximation. The numbers are kept as CSV
files beside this page.
"""
FEW = 0.5  # of the report's iterations, below which numbers mean nothing


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    units, done = count(budget), int(run["results"])
    some = f", of which {done} are done" if done < units else ""
    text = (
        f"Budget `{budget.name}`, {units} units of work{some}: {budget.runs} runs in each cell "
        f"of experiment 1, {budget.cooled} of experiment 2, {budget.metropolis} in each cell of "
        f"Metropolis, {budget.sets} data sets for the recommended sampler and the Gaussian "
        f"approximation, {budget.approximated} for variational ones and Laplace's, "
        f"{budget.believed} for the evidence of priors. {declared(budget)}"
    )
    if budget.share < FEW:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return text


def counted(tables: Tables) -> tuple[str, ...]:
    """Say what the report's experiments cost, and count the verdicts on its claims and on others.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.words.page import counted
    >>> counted({})
    ()
    """
    parts = {"on the report's experiments": REPORT, "on what goes beyond": BEYOND}
    return (*least(tables), *(f"{line}\n" for line in count_verdicts(tables, parts)))


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the report, and how claims are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.words.page import what_differs
    >>> "MacKay" in what_differs(BUDGETS["smoke"])
    True
    """
    return f"""- MacKay's own data are not published: here are {SETS} data sets of the same
  distribution, and runs go through them in turn. The report's numbers are of one data set, so that
  they are set beside the spread over ours.
- The report has 9 runs in a cell of experiment 1, 5 in one of Metropolis, and 5 of experiment 2.
- MacKay's Gaussian approximation is made anew for the recommended network: precisions where the
  evidence is largest, times their priors, and the curvature of Gauss and Newton in the place of his
  full one.
- `fit_laplace` is that of pymc-extras 0.12.1, which nothing else needs: `uv run --with
  pymc-extras==0.12.1 pymc-bnn study neal1992` brings it, and without it its rows are left out.
  Later versions require PyMC below 6.4. Its mode is of the density of precisions on their own
  scale, and its draws are normal in their logarithms. It searches by BFGS from random starts, and
  goes on from the highest mode by trust regions, whose covariance is the inverse of the exact
  curvature there; settings are the default ones from the model's initial point alone. Its evidence
  is by the density of logarithms at that mode, which is not quite theirs. At first its draws alone
  were set beside sampling, with an excess a thousand times as large, as MacKay's draws have.
- Variational approximations count where their ascents end, converged or not: errors far above
  those of sampling may be of an ascent that is not, or of a poor mode, and do not say what the best
  normal approximation would give.
- Evidence is by replica exchange where precisions can be drawn from their conditionals, and by
  integration along annealing runs for the report's network, whose momenta are drawn anew at each
  temperature. Heated runs go on from the ends of cooled ones, and are posterior draws only if
  these arrived. Bridges between priors were added after both had been seen, for want of a number
  for the logistic prior that lag does not spoil; where there are bridges, verdicts on evidence are
  theirs, of signs alone. That draws of our posterior alone have to say the same was asked when both
  were seen on half of the data sets, and that ladders have to when all was known: bridges have
  cautions. Sequential prediction (Eq. 40) is an estimator of this package whose tests
  are on other networks.
- Masses are those that warm-up learns for each component, not for groups.
- Seconds are of the processor, for one chain. Those of weights of a fixed scale are means over
  the first three data sets: the others ran on another machine. Chains with eight units and
  evidence of priors did so too. The report's model by the recommended sampler ran on a third
  one, beside other work, and its seconds are longer for it; so did all but the first three runs
  whose hyperparameters are counted: theirs are about a tenth longer than those of the same runs
  in the table of experiment 2. Variational approximations on all but the first three data sets
  ran beside much other work too, as did Laplace's.
- All arithmetic is in double precision, and random numbers are others.
- Scores of the logistic prior were at first those of the annealed runs that measure its evidence,
  which seemed to show that it predicts worse. They were then of one chain by the recommended
  sampler, which had been run already, and are of five now.
- Figures 4 and 5 showed the first run at first, which failed. Which one they show is a rule that
  was made after that.
- Some things were added after first results had been seen: effective draws of hyperparameters of
  all but three annealed runs, integrators on all but four data sets, variational approximations on
  all but three, Laplace's approximations, chains of the report's own model with a tenth of the
  gradients and with as many, whose lengths follow from the gradients allowed, and four of its five
  chains with eight units. Verdicts are of all.
- Two rules were changed after first results had been seen: runs count as stuck if they were so at
  some time, not at the end alone, and a transition is late by the report's temperature of 10. The
  verdict on stuck runs is the same by either rule. Intervals of experiment 1 were over seeds at
  first, five of which share a data set; by data set most are wider, and no verdict is another one.
- Rejections were judged by the mean over all cells at first, which the ends of the grid set, and
  stood; in the runs of Figure 2, of which the report speaks, they are undecided.

## How claims are judged

{how()}
"""


PAGE = Page(
    name="neal1992",
    head=lambda budget: HEAD,
    there=how_much,
    sources=SOURCES,
    parts={"The report again": REPORT, "Beyond the report": BEYOND},
    differs=what_differs,
    derived=DERIVED,
    in_short=SHORT,
    preface=counted,
    format=Format(),
)


def summary(results: Results[Budget]) -> Table:
    """Table for a terminal: failures of experiment 1.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1992.words.page import summary
    >>> from pymc_bnn.studies.reproduction.results import Results
    >>> summary(Results(Path("nothing"), BUDGETS["smoke"])).row_count
    0
    """
    grid = Table(title="Failures of experiment 1")
    names = ["way", "step size", "spread", "runs", "failed %", "least test error"]
    for name in names:
        grid.add_column(name)
    table = runs(results)
    for _, row in (by_cell(table) if len(table) else table).iterrows():
        grid.add_row(*(shown(name, row[name]) for name in names))
    return grid
