"""The page of the documentation that shows the study beside the thesis."""

from pathlib import Path

import pandas as pd
from rich.table import Table

from ...pages.markdown import shown
from ...pages.page import Page
from ...reproduction.results import Results
from ...reproduction.unit_progress import say_estimate
from ..design.budgets import Budget
from ..numbers.derived import method_means
from ..numbers.tables import methods
from ..runs.stages import chapter_units, initial_units, later_units, method_units
from .judgements import how
from .sections import CHAPTER_2, CHAPTER_3, CHAPTER_4, DERIVED, SHORT, SOURCES

HEAD = """% written by pymc-bnn study neal1995 --docs docs

# Neal (1995): choosing trajectories, and networks of any width

Chapter 3 of the thesis shows on the robot arm how the length and the step size of trajectories are
chosen; chapter 2 what functions priors stand for as networks grow, and chapter 4 says that wide
networks need not overfit, and that ARD finds the inputs that matter. The numbers are kept as CSV
files beside this page.
"""
ADDED = """\
- Long chains were added after the shorter ones, without a factor of 0.4 then, had left persistence
  and partial gradients undecided; their seconds with that factor are of a busier machine. Which
  settings they have was chosen by these, and their number before they were run.
  Those with a factor of 0.4, but for HMC with 4000 leapfrogs, were added when the others had been
  seen, by which persistence gave 1.36 (0.958 to 1.92) times the effective draws per gradient.
"""
AIMS = {"desk": 10.0, "paper": 45.0}  # minutes on two processors
FEW = 0.5  # of the trajectories of fits, below which numbers mean nothing


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    decided = f" and {budget.decided} for long chains of some" if budget.decided else ""
    text = (
        f"Budget `{budget.name}`, {int(run['results'])} results: {budget.runs} runs of the initial "
        f"phase, {budget.chains} data sets in the sampling phase, {budget.sets} for the "
        f"methods{decided}, "
        f"{budget.fitted} in chapter 4, {budget.folds} of ten folds of Boston housing. "
        f"{declared(budget)}"
    )
    if budget.share < FEW:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return text


def declared(budget: Budget) -> str:
    """Say how long all units of a budget take, as they are declared.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1995.words.page import declared
    >>> declared(BUDGETS["smoke"])[:40]
    'All units together are estimated to take'
    """
    units = [
        *initial_units(budget, 0),
        *later_units(Path("none"), budget, 0),
        *method_units(budget, 0),
        *chapter_units(budget, 0),
    ]
    return say_estimate(units, AIMS.get(budget.name))


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the thesis, and how claims are judged.

    Examples
    --------
    >>> from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1995.words.page import what_differs
    >>> "16 hidden units" in what_differs(BUDGETS["smoke"])
    True
    """
    return f"""- The notes that this follows give no number for the units, and no mean of the
  precisions of weights: these are 16 hidden units here, and 1. All precisions have an alpha of 0.2,
  that of the noise has a mean of 200. Output biases have a standard normal prior.
- The thesis has one data set and three runs; here are {budget.runs} of both in the initial phase,
  from dispersed starts, with a factor of 0.3.
- Equilibrium is judged by a rule, where the thesis looks at a picture.
- Methods are compared on a smaller network, on which a chain has more effective draws in the same
  time. The random walk has one step size for all weights, where other methods have one for each.
- What partial gradients do with more cases is told in the [design notes](../design_notes.md).
- Partial gradients were added after the other methods had been run, on the same starts. Limits and
  networks with learnt precisions were added after the other widths had been seen. Steps, three
  layers, direct connections, stable priors and dynamics without rejection were added after that,
  and three layers with direct connections last.
{ADDED if budget.decided else ""}\
- Covariances of 5000 wide networks had a largest difference of 3.86 standard errors, which was
  undecided; it is of four times as many now.
- Rules were changed after results had been seen. *Within*: at first a claim stood up to 3.3
  standard errors and failed from 4.5, however many differences there are; then it failed above the
  limit of so many, also where that is below 3.3. No verdict is another one. That an output has an
  autocorrelation of at most 0.2 was judged around the mean of the trajectory, and stood. The bin of
  0.3 was not among the factors of 0.3 to 0.5, whose verdict is the same.
- ARD was judged by sizes of weights alone at first, of inputs that are not equally wide, and both
  angles beside both copies, which they exceeded on 19 of 20 data sets.
- Windows, partial gradients, Metropolis and stochastic dynamics drew precisions with interweaving
  at first, which the methods beside them had not, and ran again without. Stochastic dynamics with
  4000 leapfrogs, and Hamiltonian Monte Carlo with these and a factor of 0.4, were added after the
  others had been seen; as the latter gave most, so were persistence and interweaving with that.
- Which number stands under a picture of chapter 2 was chosen after the tables had been seen. Each
  is that of a claim made before; that of layers is of a part of one, and judged as that is.

## How claims are judged

{how()}
"""


PAGE = Page(
    name="neal1995",
    head=lambda budget: HEAD,
    there=how_much,
    sources=SOURCES,
    parts={
        "Chapter 3: trajectories": CHAPTER_3,
        "Chapter 2: functions": CHAPTER_2,
        "Chapter 4: networks": CHAPTER_4,
    },
    differs=what_differs,
    derived=DERIVED,
    in_short=SHORT,
)


def summary(results: Results[Budget]) -> Table:
    """Table for a terminal: effective draws of all methods.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.neal1995.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.neal1995.words.page import summary
    >>> from pymc_bnn.studies.reproduction.results import Results
    >>> summary(Results(Path("nothing"), BUDGETS["smoke"])).row_count
    0
    """
    grid = Table(title="Effective draws of the slowest quantity per million gradients")
    names = ["method", "setting", "per million", "per second"]
    for name in names:
        grid.add_column(name)
    table = methods(results)
    for _, row in (method_means({"methods": table}) if len(table) else table).iterrows():
        grid.add_row(*(shown(name, row[name]) for name in names))
    return grid
