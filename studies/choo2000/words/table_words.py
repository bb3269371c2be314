"""What the tables of the page say, computed from their numbers."""

from typing import Any

import numpy as np
import pandas as pd

from ..design.methods import METHODS, RECOMMENDED, THESIS
from ..numbers.judged import ENDS, EQUAL, GAIN, NOT_REPEATED, intervals, more_starts
from .judgements import agreement, same_at_all, smaller

BEST, GIBBS = METHODS[RECOMMENDED].title, METHODS["gibbs"].title
OTHERS = [method.title for name, method in METHODS.items() if name not in THESIS]
NOTHING = "No results to compare yet."
RATES = 0.05  # of a rejection rate: a difference that does not count
DEVIATIONS = 0.1  # of a standard deviation of the posterior
WHAT = {"mean": "means", "sd": "standard deviations"}


def _apart(table: pd.DataFrame, ours: str, theirs: str, *errors: str) -> tuple[Any, Any]:
    """Differences and their errors, as shares of the second number."""
    spread = np.sqrt(sum(table[name] ** 2 for name in errors))
    return (table[ours] - table[theirs]) / table[theirs], spread / table[theirs]


def master_rejections(table: pd.DataFrame) -> str:
    """Say whether rejection rates agree."""
    parts = _apart(table, "rejection rate", "thesis", "error", "its error")
    return _sentence(agreement(*parts, margin=RATES))


def _sentence(said: str) -> str:
    return f"{said[0].upper()}{said[1:]}."


def verification(table: pd.DataFrame) -> str:
    """Say whether each new method samples the posterior, in its standard deviations."""
    keys = ["method", "hyperparameter"]
    sd = table[table["of log sigma"] == "sd"].set_index(keys)["master run"]
    scale = sd[pd.MultiIndex.from_frame(table[keys])].to_numpy()
    error = np.hypot(table["error"], table["its error"]) / scale
    parts = table.assign(d=(table["value"] - table["master run"]) / scale, e=error)
    lines = []
    for (name, what), rows in parts.groupby(["method", "of log sigma"], sort=False):
        said = agreement(rows["d"], rows["e"], rows["method"], DEVIATIONS)
        lines.append(f"- {name}, {WHAT[what]}: {said}.")
    return "\n".join(lines)


def variances(table: pd.DataFrame) -> str:
    """Compare the variances of each hyperparameter, over methods and widths together."""
    lines = []
    for letter, rows in table.dropna(subset=["thesis"]).groupby("hyperparameter", sort=False):
        parts = _apart(rows, "rho", "thesis", "error", "its error")
        lines.append(f"- {letter}: {agreement(*parts, rows['hidden units'])}.")
    return "\n".join(lines) or NOTHING


def references(table: pd.DataFrame) -> str:
    """Compare the variances of u by the means of either kind of master runs."""
    lines = []
    known = table[table["hyperparameter"] == "u"].dropna(subset=["thesis"])
    for kind, rows in known.groupby("means", sort=False):
        parts = _apart(rows, "rho", "thesis", "error", "its error")
        said = agreement(*parts, rows["hidden units"])
        lines.append(f"- u, by means of {kind} runs: {said}.")
    return "\n".join(lines) or NOTHING


def geometric_means(table: pd.DataFrame) -> str:
    """Compare g of each method, and of all together."""
    known = table[np.isfinite(table["z"])]
    difference = np.log(known["g"] / known["thesis recomputed"])
    known = known.assign(d=difference, e=difference / known["z"])
    lines = [
        f"- {name}: {agreement(rows['d'], rows['e'])}."
        for name, rows in known.groupby("method", sort=False)
    ]
    if len(lines) > 1:
        said = agreement(known["d"], known["e"], known["hidden units"])
        lines.append(f"- All methods: {said}.")
    return "\n".join(lines) or NOTHING


def inefficiency(table: pd.DataFrame) -> str:
    """Compare inefficiencies with the thesis's."""
    known, lines = table.dropna(subset=["ratio"]), []
    if len(known):
        low, high = known["ratio"].min(), known["ratio"].max()
        lines.append(
            f"The plain runs' factors are {low:.2g} to {high:.2g} times the thesis's; not judged, "
            "as neither has an error, and a run that misses the tail underestimates its factor."
        )
    woven = table.dropna(subset=["T_u interweaved, at most"])
    if len(woven):
        least = int(woven["every"].iloc[0])
        lines.append(
            f"Runs keep every {least}th trajectory, so that {least} is the least that an estimate "
            "can be: with interweaving the factors are at most what is shown."
        )
    return "\n\n".join(lines) or NOTHING


def shares(table: pd.DataFrame) -> str:
    """Compare both kinds of master runs with the thesis and with each other."""
    lines = (
        ("Plain master runs and the thesis", "p", "thesis", "error", "its error"),
        (
            "Interweaved master runs and the thesis",
            "p interweaved",
            "thesis",
            "error interweaved",
            "its error",
        ),
        ("Plain and interweaved master runs", "p", "p interweaved", "error", "error interweaved"),
    )
    said = [f"- {what}: {agreement(*_apart(table, *names))}." for what, *names in lines]
    known = table.dropna(subset=["p"])
    if len(known) > 1:
        found = same_at_all(known["p"], known["error"])
        theirs = same_at_all(known["thesis"], known["its error"])
        said.append(f"- Plain master runs of all widths: {found} (the thesis's: {theirs}).")
    return "\n".join(said)


def settings(table: pd.DataFrame) -> str:
    """Compare rejection rates where settings are the thesis's."""
    known = table.dropna(subset=["thesis"])
    same = known[np.isfinite(known["z"])]
    said = agreement(
        *_apart(same, "rejection rate", "thesis", "error", "error"), same["hidden units"], RATES
    )
    shown = f" Rejection rates there: {said}." if len(same) else ""
    return f"{len(same)} of {len(known)} best settings are the thesis's.{shown}"


def pairs(table: pd.DataFrame) -> str:
    """Say which of two methods explores better, and whether the thesis's ratio may be the same."""
    lines = []
    for name, rows in table.groupby("ratio of", sort=False):
        inside = rows["thesis recomputed"].between(rows["low"], rows["high"])
        found = pd.Series([smaller(one) for one in intervals(rows, "ratio", *ENDS)], rows.index)
        better = _widths(rows[found == "yes"])
        worse = _widths(rows[found == "no"])
        lines.append(
            f"- {name}: below 1 {better}, above 1 {worse}, and undecided elsewhere; the "
            f"thesis's ratio, recomputed, is inside the 90% interval at {int(inside.sum())} of "
            f"{len(rows)} widths."
        )
    return "\n".join(lines) or NOTHING


def _widths(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "nowhere"
    return f"at {', '.join(str(width) for width in rows['hidden units'])} units"


def gains(table: pd.DataFrame) -> str:
    """Say where methods beyond the thesis meet the target, by equal seconds."""
    lines = []
    for name, rows in table.groupby("method", sort=False):
        if name in OTHERS:
            lines.append(
                f"- {name}: {_range(rows['ratio'])} of Gibbs's $g$ at equal passes, "
                f"{_range(rows[EQUAL])} at equal seconds{_whole(rows)}; target of at most "
                f"{GAIN:g}: {_verdicts(rows['target'], rows['hidden units'])}."
            )
    return "\n".join(lines) or "No results to judge yet."


def _range(values: pd.Series) -> str:
    known = values.dropna()
    if known.empty:
        return "not measured"
    return f"{known.min():.3f} to {known.max():.3f}"


def _whole(rows: pd.DataFrame) -> str:
    """From where to where the intervals at equal seconds reach."""
    low, high = (rows[name].dropna() for name in ENDS)
    return f" (intervals from {low.min():.3f} to {high.max():.3f})" if len(low) else ""


def _verdicts(verdicts: pd.Series, where: pd.Series) -> str:
    grouped = where.astype(str).groupby(verdicts, sort=False)
    return "; ".join(f"{verdict} at {', '.join(at)} hidden units" for verdict, at in grouped)


def slopes(table: pd.DataFrame) -> str:
    """Say whether Gibbs crawls the more the wider, and whether the recommended method does."""
    lines = []
    for _, row in table[table["method"].isin([BEST, GIBBS])].iterrows():
        head = f"- {row['method']}, {row['widths']} units, start states {row['start states']}"
        said = f"growth {_grows(row, table)}"
        said += f", target {row['target']}" if row["method"] == BEST else ""
        thesis = row["thesis recomputed"]
        more = f" (thesis {thesis:.2f} ± {row['its error']:.2f})" if np.isfinite(thesis) else ""
        lines.append(f"{head}: slope {row['slope']:.2f} ± {row['error']:.2f}{more}, {said}.")
    return "\n".join(lines) or "No results to judge yet."


GROWS = {"yes": "shown", "no": "refuted: it falls", "undecided": "not shown: undecided"}


def _grows(row: pd.Series, table: pd.DataFrame) -> str:
    if row["grows"] != NOT_REPEATED:
        return GROWS[row["grows"]]
    what = "growth" if row["slope"] > 0 else "a fall"
    more = more_starts(row, table)["start states"].iloc[0].removeprefix(f"{row['start states']}, ")
    return f"undecided: {what} in this run that {more} do not repeat"


def flat(table: pd.DataFrame) -> str:
    """Say for each split sampler with a known $g$ whether it meets both targets."""
    split = table[(table["flat"] != "not split") & (table["no worse"] != "not measured")]
    lines = []
    for (sampler, method), rows in split.groupby(["sampler", "as"], sort=False):
        at = rows["hidden units"]
        lines.append(
            f"- {sampler}, as {method}: flat: {_verdicts(rows['flat'], at)}; $g$ no worse than "
            f"Gibbs's: {_verdicts(rows['no worse'], at)}."
        )
    return "\n".join(lines) or "No results to judge yet."


def tails(table: pd.DataFrame) -> str:
    """Say whether plain Gibbs misses the tail, u and a of a run taken together."""
    lines = []
    for border, rows in table.groupby("log sigma above"):
        parts = _apart(rows, "plain", "interweaved", "error", "its error")
        lines.append(f"- above {border}: {agreement(*parts, rows['hidden units'])}.")
    return "\n".join(lines) or NOTHING


def starts(table: pd.DataFrame) -> str:
    """Say whether the start states of plain master runs bias g."""
    difference = np.log(table["g, plain starts"] / table["g, interweaved starts"])
    parts = table.assign(d=difference, e=difference / table["z"])
    lines = [
        f"- {name}: {agreement(rows['d'], rows['e'])}." for name, rows in parts.groupby("method")
    ]
    known = "\n".join(lines) or NOTHING
    return f"Whether $g$ depends on which master run the start states are from:\n\n{known}"
