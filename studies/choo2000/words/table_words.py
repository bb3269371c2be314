"""What the tables of the page say, computed from their numbers."""

from typing import Any

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ..design.budgets import SUPER_TRANSITIONS
from ..design.methods import METHODS
from ..numbers.at_once import of_widths
from ..numbers.judged import ENDS, intervals
from .agreements import agreement
from .differences import FACTORS, FEW, Kind
from .judgements import same_at_all, smaller

GIBBS = METHODS["gibbs"].title
NOTHING = "No results to compare yet."
RATES = Kind(0.05)  # of a rejection rate: a difference that does not count
RATES_OF_CHAINS = Kind(0.05, FEW)
DEVIATIONS = Kind(0.1)  # of a standard deviation of the posterior
WHAT = {"mean": "means", "sd": "standard deviations"}


def apart(table: pd.DataFrame, ours: str, theirs: str, *errors: str) -> tuple[Any, Any]:
    """Differences and their errors, as shares of the second number."""
    spread = np.sqrt(sum(table[name] ** 2 for name in errors))
    return (table[ours] - table[theirs]) / table[theirs], spread / table[theirs]


def master_rejections(table: pd.DataFrame) -> str:
    """Say whether rejection rates agree."""
    parts = apart(table, "rejection rate", "thesis", "error", "its error")
    return _sentence(agreement(*parts, kind=RATES))


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
        parts = apart(rows, "rho", "thesis", "error", "its error")
        lines.append(f"- {letter}: {agreement(*parts, rows['hidden units'])}.")
    return "\n".join(lines) or NOTHING


def references(table: pd.DataFrame) -> str:
    """Compare the variances of u by the means of either kind of master runs."""
    lines = []
    known = table[table["hyperparameter"] == "u"].dropna(subset=["thesis"])
    for kind, rows in known.groupby("means", sort=False):
        parts = apart(rows, "rho", "thesis", "error", "its error")
        said = agreement(*parts, rows["hidden units"])
        lines.append(f"- u, by means of {kind} runs: {said}.")
    return "\n".join(lines) or NOTHING


def geometric_means(table: pd.DataFrame) -> str:
    """Compare g of each method, and of all together, which agrees where each does."""
    known = table[np.isfinite(table["z"])]
    d = np.log(known["g"] / known["thesis recomputed"])
    known = known.assign(d=d, e=d / known["z, at least"], least=d / known["z"])
    lines = [
        f"- {name}: {agreement(rows['d'], rows['e'], None, FACTORS, least=rows['least'])}."
        for name, rows in known.groupby("method", sort=False)
    ]
    if len(lines) > 1:
        whole, parts = (known[name] for name in ("hidden units", "method"))
        said = agreement(known["d"], known["e"], whole, FACTORS, least=known["least"], parts=parts)
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
    said = [f"- {what}: {agreement(*apart(table, *names))}." for what, *names in lines]
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
    parts = apart(same, "rejection rate", "thesis", "error", "error")
    said = agreement(*parts, same["hidden units"], RATES_OF_CHAINS)
    shown = f" Rejection rates there: {said}." if len(same) else ""
    return f"{len(same)} of {len(known)} best settings are the thesis's.{shown}"


def pairs(kept: Tables) -> str:
    """Say which of two methods explores better, and whether the thesis's ratio may be the same."""
    table, lines = kept["pairwise_ratios"], []
    for name, rows in table.groupby("ratio of", sort=False):
        inside = rows["thesis recomputed"].between(rows["low"], rows["high"])
        lines.append(
            f"- {name}: by {SUPER_TRANSITIONS} draws {_better(rows)}"
            f"{_by_all_draws(str(name), kept.get('gains'))}; the thesis's ratio, recomputed, is "
            f"inside the 90% interval at {int(inside.sum())} of {len(rows)} widths."
        )
    return "\n".join(lines) or NOTHING


def _by_all_draws(name: str, gains: pd.DataFrame | None) -> str:
    """Say the same of all recorded draws, of which there are ratios to Gibbs's."""
    first, second = name.split(" / ")
    if gains is None or second != GIBBS or (rows := gains[gains["method"] == first]).empty:
        return ""
    low, high = of_widths(rows, ("ratio", "low", "high"), ["method"])
    return f"; by all draws {_better(rows.assign(**dict(zip(ENDS, (low, high), strict=True))))}"


def _better(rows: pd.DataFrame) -> str:
    """Say at which widths ratios are below 1, and at which above."""
    found = pd.Series([smaller(one) for one in intervals(rows, "ratio", *ENDS)], rows.index)
    below, above = (_widths(rows[found == answer]) for answer in ("yes", "no"))
    return f"below 1 {below}, above 1 {above}, and undecided elsewhere"


def _widths(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "nowhere"
    return f"at {', '.join(str(width) for width in rows['hidden units'])} units"
