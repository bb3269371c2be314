"""What the study's page says before and after its sections: of what there is, and no more."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ..design.budgets import PASSES, Budget
from .differences import FEW, SAME
from .ruled import AGREEMENT, INTERVAL, TARGET

NOTE = "% written by pymc-bnn study choo2000 --docs docs"
ALONE = ("paper",)  # budgets that have a page of their own, beside that of the others
HEAD = f"""{NOTE}

# Choo (2000): hyperparameters by Hamiltonian dynamics

K. Choo's thesis asks whether the precisions of a network's weights should move along trajectories,
by themselves (Dynamical A) or together with the weights they scale (Dynamical B), rather than by
Gibbs draws in between. Here the study is run again. The numbers are kept as CSV files beside this
page, and the text follows from them.
"""
HOW = "## How claims are judged\n"  # verdicts link to it
SCORES = f"""\
- *{AGREEMENT}*:
A $z$ is a difference in standard errors of both. Numbers *differ* where one difference is too large
to be the largest of so many, where more of them are beyond two standard errors than chance gives,
or where all together are too far from none, for which a common sign counts. Each of these three
tests has a third of 5%, so that a line on equal numbers says so with at most 5%. Numbers *agree*
where none of the tests finds anything at 5% and two standard errors around every difference lie
within the share of the value that is stated; all else is *undecided*.{{factors}}{{groups}}"""
FACTORED = f"""
Differences of $g$ are those of its logarithm and told as factors, with two standard errors on
either side; within a factor of {1 + SAME:g} is so many times larger or smaller at most. Errors by a
bootstrap of 50 chains are uncertain themselves: by the normal distribution, lines on simulated
equal numbers say too often that they differ. So $z$ has Student's $t$ with {FEW} degrees of
freedom, half as many as chains, by which they do with at most 5% where chains' means are normal or
have the tails of $t$ with 5 degrees of freedom. Where an error has two bounds, the first $z$ is by
the larger one, which to differ takes. A line of several methods also differs if one method does,
where each method and all of them together have the same share of the 5%."""
GROUPS = """
Rows that share start states or chains are correlated by an unknown amount: where two $z$ of all
together are given, the first takes such rows as one, the second as independent, and to differ takes
the first."""
INTERVALS = f"""\
- *{INTERVAL}*:
That a number is larger or smaller than another, or than a limit, is *confirmed* or
*refuted* by its whole interval, and else *undecided*; so is a ratio below or above 1, and growth
*shown* or *refuted*. Intervals hold with 95% for all numbers at once that the section names."""
TARGETS = f"""\
- *{TARGET}*:
A target is *met* or *missed* by its whole interval, which holds with 95% for all widths or slopes
at once, and else *undecided*."""
GROUPED = ("verification", "best_settings", "variances", "references", "geometric_means", "tails")
OF_G = ("geometric_means", "slowed", "start_bias")
TARGETED = ("gains", "slopes", "rejection_growth")
BY_INTERVALS = (
    "region_rejections",
    "pairwise_ratios",
    "from_the_tail",
    "thesis_curves",
    "slowed",
    "scale_products",
    "thesis_settings",
    "u_by_starts",
    *TARGETED,
)
RANDOM = "Random numbers, the order of the variables and the arithmetic are others."
DIFFERS = {
    "variances": "True means, shares of the strata and posterior estimates come from the master "
    "run with interweaving; the thesis takes them from the old method's.",
    "geometric_means": "A chain has 12 super-transitions. The thesis does not say how many; 12 is "
    "what its longest trajectory of 17067 leapfrog steps leaves. It makes $g$ comparable only as "
    "far as 12 recorded values give nearly the mean of a chain.\n"
    "- In Table 5.12 three of the printed $g$ are not the geometric means of their rows: Dynamical "
    "A with 8 hidden units prints 0.1039 where its row gives 0.1028, Dynamical B with 8 prints "
    "0.0683 (0.1063) and with 16 prints 0.0731 (0.0744). Both are shown, and what is said follows "
    "the recomputed ones.",
    "gains": "Passes are equal as Table 5.5 counts them. Each density that interweaving evaluates "
    "is charged as one, also where the network's last layer is integrated out, which takes longer "
    "than a pass in networks as small as these; the passes that were made, and the time, are in "
    "the table of gains.",
}


def heading(budget: Budget) -> str:
    """Heading of the page of a budget, and what it is about."""
    long = "dynamics, runs as long as the thesis's\n"
    return HEAD.replace("dynamics\n", long, 1) if budget.name in ALONE else HEAD


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run."""
    text = f"Budget `{budget.name}`, {run['results']} results."
    if (part := budget.passes / PASSES) < 1:
        text += (
            f" **Its chains have {part:.1%} of the thesis's passes: they show that everything "
            "runs, and their numbers are not to be compared.**"
        )
    return text


def preface(tables: Tables) -> tuple[str, ...]:
    r"""Say what there is, and how it is judged.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.text import preface
    >>> preface({})
    ('Master runs with interweaving have not been run. Methods have not been compared.\n',)
    """
    return tuple(f"{text}\n" for text in (_there(tables), _judged(tables)) if text)


def _there(tables: Tables) -> str:
    """Say whose numbers there are: the thesis's beside ours, and of which runs and methods."""
    said = []
    if "master_rejections" in tables:
        chapters = "chapters 5 and 6" if "thesis_curves" in tables else "chapter 5"
        said.append(f"Numbers of the thesis's {chapters} stand beside ours.")
    lengths = tables.get("lengths", pd.DataFrame({"trajectories": [], "hidden units": []}))
    if len(missing := lengths[lengths["trajectories"].isna()]):
        widths = ", ".join(str(width) for width in missing["hidden units"])
        said.append(f"Plain master runs with {widths} hidden units have not been run.")
    if not _woven(tables):
        said.append("Master runs with interweaving have not been run.")
    if "gains" in tables:
        tethers = ", and Dynamical A with tethers" if "rejection_growth" in tables else ""
        said.append(
            "Methods that the thesis does not have are measured by the same yardstick: "
            "interweaving, by itself and with the last layer integrated out (collapsed "
            f"Gibbs){tethers}; [](../why_gibbs_crawls.md) explains them."
        )
    elif "geometric_means" not in tables:
        said.append("Methods have not been compared.")
    if _woven(tables):
        said.append("Master runs *with interweaving* are collapsed Gibbs's.")
    return " ".join(said)


def _woven(tables: Tables) -> bool:
    """Whether there is a master run with interweaving."""
    name = "T_u interweaved, at most"
    return "inefficiencies" in tables and bool(np.isfinite(tables["inefficiencies"][name]).any())


def _judged(tables: Tables) -> str:
    """Say what words on numbers mean, of those that the page has."""
    groups = GROUPS if any(name in tables for name in GROUPED) else ""
    factors = FACTORED if any(name in tables for name in OF_G) else ""
    said = [SCORES.format(factors=factors, groups=groups)] if "master_rejections" in tables else []
    said += [INTERVALS] if any(name in tables for name in BY_INTERVALS) else []
    said += [TARGETS] if any(name in tables for name in TARGETED) else []
    listed = "\n".join(said).replace("\n", "\n  ").replace("\n  - ", "\n- ")
    return f"{HOW}\n{listed}" if said else ""


def _lengths(tables: Tables) -> list[str]:
    """Say where plain master runs are shorter than the thesis's."""
    if "lengths" not in tables or (known := tables["lengths"].dropna()).empty:
        return []
    shorter = known[known["trajectories"] < known["thesis"]]
    if shorter.empty:
        every = ", ".join(str(width) for width in known["hidden units"])
        return [f"Plain master runs are as long as the thesis's, or longer, at {every} units."]
    each = (f"{n} units" for n in shorter["hidden units"])
    return [f"Plain master runs are shorter than the thesis's at {', '.join(each)}."]


def what_differs(tables: Tables) -> str:
    """Say what the study does in another way than the thesis, of what there is.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words.text import what_differs
    >>> what_differs({})
    '- Random numbers, the order of the variables and the arithmetic are others.'
    """
    said = [*_lengths(tables), RANDOM]
    said += [text for name, text in DIFFERS.items() if name in tables]
    if "best_settings" in tables and tables["run"]["budget"].iloc[0] not in ALONE:
        held = "thesis_settings" in tables
        also = ", though at each width they hold what the thesis found best there" if held else ""
        said.append(f"Grids are smaller than the thesis's{also}, so best settings can be missed.")
    return "\n".join(f"- {text}" for text in said)
