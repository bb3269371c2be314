"""What the tables of the page say, computed from their numbers."""

import numpy as np
import pandas as pd

from ..bootstrap import Interval
from .judgements import agreement, smaller
from .methods import METHODS, RECOMMENDED
from .published import published

BEST = METHODS[RECOMMENDED].title


def by_score(table: pd.DataFrame) -> str:
    """Say whether all numbers with a z-score agree.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.words import by_score
    >>> by_score(pd.DataFrame({"z": [0.5, -1.0]}))
    'It agrees: all 2 within 2 standard errors (the largest difference: z = -1.0).'
    """
    return _sentence(agreement(table["z"]))


def _sentence(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}." if said.startswith("no") else f"It {said}."


def by_method(table: pd.DataFrame) -> str:
    """Say the same for each method."""
    compared = table[np.isfinite(table["z"])]
    lines = [f"- {name}: {agreement(rows['z'])}." for name, rows in compared.groupby("method")]
    return "\n".join(lines) or "No results to compare yet."


def inefficiency(table: pd.DataFrame) -> str:
    """Compare inefficiencies with the thesis's."""
    known = table.dropna(subset=["ratio"])
    if known.empty:
        return "No results to compare yet."
    low, high = known["ratio"].min(), known["ratio"].max()
    return (
        f"The plain runs' factors are {low:.2g} to {high:.2g} times the thesis's. Neither has an "
        "error, and a run that misses the tail underestimates its factor."
    )


def shares(table: pd.DataFrame) -> str:
    """Compare both kinds of master runs with the thesis and with each other."""
    lines = (
        ("Plain master runs and the thesis", "z"),
        ("Interweaved master runs and the thesis", "z interweaved"),
        ("Plain and interweaved master runs", "z of both"),
    )
    return "\n".join(f"- {what}: {agreement(table[column])}." for what, column in lines)


def settings(table: pd.DataFrame) -> str:
    """Compare rejection rates where settings are the thesis's."""
    known = table.dropna(subset=["thesis"])
    same = int(np.isfinite(known["z"]).sum())
    said = f" There, the rejection rate {agreement(known['z'])}." if same else ""
    return f"{same} of {len(known)} best settings are the thesis's.{said}"


def pairs(table: pd.DataFrame) -> str:
    """Say which of two methods explores better, and whether the thesis's ratio may be the same."""
    lines = []
    for name, rows in table.groupby("ratio of", sort=False):
        inside = rows["thesis"].between(rows["low"], rows["high"])
        found = rows.apply(lambda row: smaller(_interval(row)), axis=1)
        better = _widths(rows[found == "yes"])
        worse = _widths(rows[found == "no"])
        lines.append(
            f"- {name}: below 1 {better}, above 1 {worse}, and undecided elsewhere; the "
            f"thesis's ratio is inside the interval at {int(inside.sum())} of {len(rows)} widths."
        )
    return "\n".join(lines) or "No results to compare yet."


def _interval(row: pd.Series) -> Interval:
    return Interval(row["ratio"], row["low"], row["high"])


def _widths(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "nowhere"
    return f"at {', '.join(str(width) for width in rows['hidden units'])} units"


def chapter_6(table: pd.DataFrame) -> str:
    """Check what chapter 6 says of the curves."""
    growing = table.set_index(["figure", "sampler"])
    lines = []
    for figure, first, second, claim in (
        ("6.2", "Dynamical B", "Gibbs", "B's rejections rise more than Gibbs's (6.2)"),
        ("6.2", "Dynamical B", "Dynamical A", "B's rejections rise more than A's (6.2)"),
        ("6.5", "not split", "precisions in 2", "splitting the precisions' updates helps (6.5)"),
        ("6.5", "not split", "weights in 2", "splitting the weights' updates helps (6.5)"),
        ("6.6", "0.32, equal", "0.32, 1/100", "a small factor of the precisions helps (6.6)"),
        ("6.7", "not split", "precisions in 100", "a fine splitting helps (6.7)"),
    ):
        if (figure, first) in growing.index and (figure, second) in growing.index:
            pair = growing.loc[(figure, first)], growing.loc[(figure, second)]
            lines.append(f"- {claim}: {_compare(*pair)}.")
    return "\n".join(lines) or "No results to compare yet."


def _compare(first: pd.Series, second: pd.Series) -> str:
    difference = first["at 2000"] - second["at 2000"]
    error = np.hypot(first["error at 2000"], second["error at 2000"])
    shown = f"{first['at 2000']:.3f} against {second['at 2000']:.3f} at 2000 leapfrog steps"
    if difference > 2 * error:
        return f"yes, {shown}"
    return f"no, {shown}" if difference < -2 * error else f"no clear difference, {shown}"


def gains(table: pd.DataFrame) -> str:
    """Say where the recommended method meets its target."""
    own = table[(table["method"] == BEST)]
    if own.empty:
        return "No results to judge yet."
    return f"{BEST}: the target is " + _verdicts(own["target"], own["hidden units"]) + "."


def _verdicts(verdicts: pd.Series, where: pd.Series) -> str:
    grouped = where.astype(str).groupby(verdicts, sort=False)
    return "; ".join(f"{verdict} at {', '.join(at)} hidden units" for verdict, at in grouped)


def slopes(table: pd.DataFrame) -> str:
    """Say whether the recommended method keeps its pace as networks widen."""
    lines = [
        f"- {row['method']}, {row['widths']} units, start states {row['start states']}: slope "
        f"{row['slope']:.2f} ± {row['error']:.2f}, target {row['target']}."
        for _, row in table[table["method"].isin([BEST, METHODS["gibbs"].title])].iterrows()
    ]
    return "\n".join(lines) or "No results to judge yet."


def flat(table: pd.DataFrame) -> str:
    """Name the split samplers that meet both targets."""
    split = table[table["flat"] != "not split"]
    if split.empty:
        return "No results to judge yet."
    met = split[split["flat"].str.startswith("met") & (split["no worse"] == "yes")]
    if met.empty:
        flats = split.loc[split["flat"].str.startswith("met"), "sampler"].nunique()
        return (
            "The target is missed: no split sampler has both a flat rejection rate and $g$ no "
            f"worse than Gibbs's; samplers with a flat rate at some width: {flats}."
        )
    lines = [
        f"- {name[0]}, as {name[1]}: " + _verdicts(rows["flat"], rows["hidden units"]) + "."
        for name, rows in met.groupby(["sampler", "as"], sort=False)
    ]
    return "\n".join(["With $g$ no worse than Gibbs's:", "", *lines])


def tails(table: pd.DataFrame) -> str:
    """Say whether plain Gibbs misses the tail."""
    lines = []
    for border, rows in table.groupby("log sigma above"):
        low = int((rows["plain"] < rows["interweaved"]).sum())
        lines.append(
            f"- above {border}: the plain runs have less than the interweaved ones in {low} of "
            f"{len(rows)} cases; taken together: {agreement(rows['z'])}."
        )
    return "\n".join(lines) or "No results to compare yet."


def starts(table: pd.DataFrame) -> str:
    """Say whether the start states of plain master runs bias g."""
    lines = [f"- {name}: {agreement(rows['z'])}." for name, rows in table.groupby("method")]
    known = "\n".join(lines) or "No results to compare yet."
    return f"Whether $g$ depends on which master run the start states are from:\n\n{known}"


def what_differs(budget: str) -> str:
    """Say what the study does in another way than the thesis.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.words import what_differs
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
- In Table 5.12 three of the printed $g$ are not the geometric means of their rows. They are
  compared as printed.
"""
