"""The page of the documentation that shows the study beside the thesis."""

from collections.abc import Sequence

import pandas as pd
from rich.table import Table

from ...pages.kept_tables import Format, Tables
from ...pages.markdown import shown
from ...pages.page import Page
from ..design.budgets import Budget
from ..design.experiments import THESIS as TABLES
from ..numbers import choice
from ..numbers.results import Results
from ..rules.claims import how
from .conclusions import counted
from .sections import BEYOND, DERIVED, SOURCES
from .short import IN_SHORT
from .thesis_sections import THESIS

HEAD = """% written by pymc-bnn study lau2018 --docs docs

# Lau (2018): dynamic HMC, priors and model choice on digits

Y. S. Lau's thesis samples a network with 35 tanh units and no biases on 500 of scikit-learn's
digits, and asks which sampler, prior and width predict 500 others best. Here its tables are run
again, its numbers beside ours.

A test error comes with two standard errors: *± chains* is from the sampling (the spread of the
chains' own test errors over the root of their number), *± cases* from having 500 test cases. The
latter is common to all rows, so that differences are known better: below they are compared case by
case where single cases are kept. The thesis gives neither. It samples its standard network again
and again, by samplers that it finds equally good, with errors from 20.6% to 28.6%.

*Outputs* are the class probabilities of the test cases; R-hat and effective sample sizes of outputs
are those of every fifth of the 500 test cases. The numbers are kept as CSV files beside this page.
"""
COUNTS = ("chains", "warm-up", "draws", "members", "weights", "results", "missing", "rows")
LEFT_OUT = {
    "stochastic_gradients": "of Tables 4.5-4.8, at other scales of velocity than 0.01, which the "
    "table with the noise as printed has",
    "metrics": "of Table 4.10, by the dense metric with other priors than the normal one, since it "
    "is too slow here for draws that decide anything",
}


def how_judged(tables: Tables) -> Sequence[str]:
    """How claims are judged, and how many stand."""
    return f"## How claims are judged\n\n{how()}\n", f"{counted(tables)}\n"


def count_rows(results: Results) -> dict[str, int]:
    """How many rows of the thesis's tables there are, and how many were not run."""
    every = [row for name in TABLES for row in results.budget.table(name)]
    return {"rows": len(every), "missing": sum(not results.has(row.key) for row in every)}


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    count, every, missing = (int(run[name]) for name in ("results", "rows", "missing"))
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
    tried = budget.confirmed
    if tried is not None:
        text += (
            f" The network that is tried on other digits has {tried.chains} of {tried.tune} and "
            f"{tried.draws}."
        )
    if missing:
        text += f" Of the {every} rows of its tables {missing} have not been run yet."
    if length.draws < 50:
        text += " **They show that everything runs, and their numbers are not to be compared.**"
    return text


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.lau2018.words.page import what_differs
    >>> "grey levels" in what_differs(BUDGETS["paper"])
    True
    """
    return f"""- The thesis does not say how it scales inputs. Its tables are run on the grey levels
  that scikit-learn has, 0 to 16.
- It does not say what *dynamic HMC* is where it is not being compared; here it is NUTS with a
  target acceptance of 0.9.
- The network of Table 4.1 is sampled by XHMC with threshold 0.1 in the thesis, and by NUTS here,
  on unit inputs by static trajectories.
- Which weights have the prior in Table 4.10 is not said, nor by which sampler; here all have it,
  and XHMC samples.
- In Table 4.12 static trajectories of 100 leapfrog steps are run (`GibbsHMC`), and single precision
  is that of the pass through the network alone; positions, momenta, sums and the accept test stay
  in double precision. The thesis casts all of a trajectory to single precision, and does not say
  which sampler it runs in it.
- Dual averaging forgets with an exponent of 0.75, that of Hoffman & Gelman (2014) and Stan; the
  thesis prints 0.8 (Algorithm 8).
- The energy Bayesian fraction of missing information is called low below 0.3 in this package; the
  thesis says that Stan's threshold is 0.7 (2.6). No verdict here depends on it.
- The size of SGHMC's minibatches is not said; here it is 32. Its updates are those of Chen et al.
  (2014), learning rates multiply the gradient of the whole log posterior, and on raw inputs only
  the smallest one of the grid, 0.0001, is a stable step. As Algorithm 16 is printed, a hundredth
  of the old velocity would be left after an update, turned round, and the noise would lack the
  learning rate. A table of its own has that noise, and keeps the velocity; how it was run, and what
  its learning rates multiply, the thesis does not say.
- Chains start from dispersed points of fan-in scaled normal weights.
- Rows of the thesis that budget `{budget.name}` leaves out: {_left_out(budget)}.
- Random numbers and the arithmetic are others.
"""


def _left_out(budget: Budget) -> str:
    """Count the rows that a budget leaves out, and say which and why where it runs others."""
    counts = {name: len(make()) - len(budget.table(name)) for name, make in TABLES.items()}
    why = [
        f"{counts[name]} {text}"
        for name, text in LEFT_OUT.items()
        if counts[name] and budget.table(name)
    ]
    every = sum(counts.values())
    return f"{every}, among them {'; '.join(why)}" if why else str(every)


PAGE = Page(
    name="lau2018",
    head=lambda budget: HEAD,
    there=how_much,
    sources=SOURCES,
    parts={"The thesis again": THESIS, "Beyond the thesis": BEYOND},
    differs=what_differs,
    derived=DERIVED,
    in_short=IN_SHORT,
    preface=how_judged,
    counts=count_rows,
    format=Format(10, text=("row", "against", "table"), whole=COUNTS),
)


def summary(results: Results) -> Table:
    """Table for a terminal: the networks that the training cases choose.

    Examples
    --------
    >>> from pathlib import Path
    >>> from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.lau2018.numbers.results import Results
    >>> from pymc_bnn.studies.lau2018.words.page import summary
    >>> summary(Results(Path("nothing"), BUDGETS["smoke"])).row_count
    0
    """
    found = choice.chosen(results)
    grid = Table(title="Networks chosen by the training cases, and how they do on the test cases")
    for name in found:
        grid.add_column(str(name))
    for _, row in found.iterrows():
        grid.add_row(*(shown(str(name), value) for name, value in row.items()))
    return grid
