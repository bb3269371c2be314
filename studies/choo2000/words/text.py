"""What the study's page says before and after its sections."""

import pandas as pd

from ..design.budgets import PASSES, Budget
from ..design.published import published

NOTE = "% written by pymc-bnn study choo2000 --docs docs"
ALONE = ("paper",)  # budgets that have a page of their own, beside that of the others
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
or where all together are too far from none, for which a common sign counts. Each of these three
tests has a third of 5%, so that a line on equal numbers says so with at most 5%. Numbers *agree*
where none of the tests finds anything at 5% and two standard errors around the mean difference lie
within the share of the value that is stated; all else is *undecided*. Rows that share start states
or chains are correlated by an unknown amount: where two $z$ of all together are given, the first
takes such rows as one, the second as independent, and to differ takes the first. A target is *met*
or *missed* by its whole interval, which holds with 95% for all widths or slopes at once, and else
*undecided*. The numbers are kept as CSV files beside this page, and the text follows from them.
"""


def heading(budget: Budget) -> str:
    """Heading of the page of a budget, and what it is about."""
    long = budget.name in ALONE
    return HEAD.replace("dynamics\n", "dynamics, at the thesis's lengths\n", 1) if long else HEAD


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    text = f"Budget `{budget.name}`, {run['results']} results."
    if (part := budget.passes / PASSES) < 1:
        text += (
            f" **Its chains have {part:.1%} of the thesis's passes: they show that everything "
            "runs, and their numbers are not to be compared.**"
        )
    return text


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.choo2000.words.text import what_differs
    >>> "17067" in what_differs(BUDGETS["paper"])
    True
    """
    runs = ", ".join(f"{n:,}" for n in published("master_runs")["samples"])
    return f"""- The budget is `{budget.name}`. The thesis's master runs have {runs}
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
