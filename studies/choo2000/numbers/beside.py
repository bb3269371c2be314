"""The thesis's numbers beside ours: columns of the page's tables that follow from the others.

Each function takes a table of :mod:`.tables`, as it was measured or as it was read from its CSV
file, and returns it with these columns made anew.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ..design.methods import METHODS
from ..design.published import published, recomputed_performance
from ..runs.rejections import LONGEST
from ..words.judgements import z_score
from .at_once import ENDS, NORMAL_90, of_widths

TITLES = {name: method.title for name, method in METHODS.items()}
FLAT = 2000  # leapfrog steps after which rates are to be those after 50
GROWTHS = {  # columns of growth with its interval, by length of the longer trajectories
    FLAT: ("growth", "low", "high"),
    LONGEST: (f"growth to {LONGEST}", "its low", "its high"),
}


def without(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the table without columns that are to be made anew."""
    return table.drop(columns=[name for name in columns if name in table])


def scores(first: pd.Series, second: pd.Series, *errors: pd.Series) -> pd.Series:
    """Differences in standard errors, row by row.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.choo2000.numbers.beside import scores
    >>> scores(pd.Series([1.0]), pd.Series([3.0]), pd.Series([0.6]), pd.Series([0.8])).tolist()
    [-2.0]
    """
    rows = zip(first, second, *errors, strict=True)
    return pd.Series([z_score(*row) for row in rows], first.index, float)


def log_error(low: pd.Series, high: pd.Series) -> pd.Series:
    """Standard errors of logarithms, from 90% intervals."""
    return np.log(high / low) / (2 * NORMAL_90)


def _thesis(name: str) -> pd.DataFrame:
    """Table of the thesis with the page's names of columns and methods."""
    return _named(published(name))


def _named(table: pd.DataFrame) -> pd.DataFrame:
    named = table.rename(columns={"hidden_units": "hidden units"})
    return named.assign(method=named["method"].map(TITLES)) if "method" in named else named


def _beside(table: pd.DataFrame, other: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Add columns of another table, in rows of the same network, method and hyperparameter."""
    keys = [k for k in ("method", "hidden units", "hyperparameter") if k in table and k in other]
    return table.merge(other[[*keys, *names]].rename(columns=names), "left", keys)


def master_rejections(table: pd.DataFrame) -> pd.DataFrame:
    """Table 5.7. The thesis gives no errors: its are ours, for as many trajectories as it has."""
    table = without(table, ["thesis", "its error", "z"])
    thesis = _thesis("master_runs").rename(columns={"samples": "its samples"})
    found = _beside(table, thesis, {"rejection_rate": "thesis", "its samples": "n"})
    found["its error"] = found["error"] * np.sqrt(found["samples"] / found.pop("n"))
    z = scores(found["rejection rate"], found["thesis"], found["error"], found["its error"])
    return found.assign(z=z)


def lengths(tables: Tables) -> pd.DataFrame:
    """Trajectories of the master runs without interweaving, ours where there are any.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.beside import lengths
    >>> lengths({})["thesis"].tolist()
    [500000.0, 800000.0, 3500000.0, 700000.0]
    """
    thesis = _thesis("master_runs")[["hidden units", "samples"]].rename(
        columns={"samples": "thesis"}
    )
    none = pd.DataFrame({"hidden units": [], "samples": []})
    ours = tables.get("master_rejections", none).set_index("hidden units")["samples"]
    thesis.insert(1, "trajectories", thesis["hidden units"].map(ours))
    return thesis.astype({"trajectories": float, "thesis": float})


def inefficiencies(table: pd.DataFrame) -> pd.DataFrame:
    """Table 5.8."""
    table = without(table, ["thesis", "ratio"])
    found = _beside(table, _thesis("start_states"), {"inefficiency": "thesis"})
    return found.assign(ratio=found["T_u"] / found["thesis"])


def region_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Table 5.9. Its errors: of as many independent draws as its runs have inefficiency factors."""
    table = without(table, ["thesis", "its error", "z", "z interweaved", "z of both"])
    found = _beside(table, _thesis("region_shares"), {"share": "thesis"})
    runs = _beside(table[["hidden units"]], _thesis("master_runs"), {"samples": "n"})
    runs = _beside(runs, _thesis("start_states"), {"inefficiency": "factor"})
    p = found["thesis"]
    found["its error"] = np.sqrt(p * (1 - p) * runs["factor"] / runs["n"])
    woven, woven_error = found["p interweaved"], found["error interweaved"]
    found["z"] = scores(found["p"], p, found["error"], found["its error"])
    found["z interweaved"] = scores(woven, p, woven_error, found["its error"])
    found["z of both"] = scores(found["p"], woven, found["error"], woven_error)
    return found


def verification(table: pd.DataFrame) -> pd.DataFrame:
    """Section 5.2: A and B beside the master run with interweaving."""
    z = scores(table["value"], table["master run"], table["error"], table["its error"])
    return without(table, ["z"]).assign(z=z)


def best_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Table 5.11; z where the setting is the thesis's, and its error is taken to be ours."""
    table = without(table, ["thesis's l", "thesis's eta", "thesis", "z"])
    names = {"leapfrog_steps": "thesis's l", "step_factor": "thesis's eta"}
    found = _beside(table, _thesis("optimal_settings"), names | {"rejection_rate": "thesis"})
    same = (found["l"] - found["thesis's l"]).abs().le(1) & (found["eta"] == found["thesis's eta"])
    z = scores(found["rejection rate"], found["thesis"], found["error"], found["error"])
    return found.assign(z=z.where(same))


def variances(table: pd.DataFrame) -> pd.DataFrame:
    """Variances of means of Table 5.12."""
    table = without(table, ["thesis", "its error", "z"])
    thesis = _thesis("performance").rename(columns={"error": "its", "rho": "theirs"})
    found = _beside(table, thesis, {"theirs": "thesis", "its": "its error"})
    z = scores(found["rho"], found["thesis"], found["error"], found["its error"])
    return found.assign(z=z)


PRINTED = {"printed": "thesis printed", "recomputed": "thesis recomputed"}


def geometric_means(table: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of Table 5.12, as printed and of its variances; z is against the latter.

    z is that of the logarithms. The thesis's error follows from those of its four variances: as
    if they were independent, which makes it small, or the same number, which makes it large.
    """
    errors = {"z": "log_error", "z, at least": "most_log_error"}
    table = without(table, [*PRINTED.values(), *errors])
    names = PRINTED | {error: error for error in errors.values()}
    found = _beside(table, _named(recomputed_performance()), names)
    ours, theirs = np.log(found["g"]), np.log(found["thesis recomputed"])
    own = log_error(found["low"], found["high"])
    return found.assign(
        **{z: scores(ours, theirs, own, found.pop(error)) for z, error in errors.items()}
    )


def pairwise_ratios(table: pd.DataFrame) -> pd.DataFrame:
    """Ratios of the thesis's geometric means, as printed and of its variances.

    Ours have intervals that hold for all widths of a pair at once as well.
    """
    table = without(table, [*PRINTED.values(), *ENDS])
    for name, end in zip(
        ENDS, of_widths(table, ("ratio", "low", "high"), ["ratio of"]), strict=True
    ):
        table[name] = end
    thesis = _named(recomputed_performance()).set_index(["method", "hidden units"])
    pairs = [named.split(" / ") for named in table["ratio of"]]
    for column, name in PRINTED.items():
        g = thesis[column]
        rows = zip(pairs, table["hidden units"], strict=True)
        table[name] = [g.get((a, n), np.nan) / g.get((b, n), np.nan) for (a, b), n in rows]
    return table


def floors(table: pd.DataFrame) -> pd.DataFrame:
    """Geometric means of Table 5.12 beside those that twelve independent draws would have."""
    return _beside(
        without(table, list(PRINTED.values())), _named(recomputed_performance()), PRINTED
    )


def thesis_curves(table: pd.DataFrame) -> pd.DataFrame:
    """Growth of rejection rates from 50 leapfrog steps to 2000 and to 17067, with 90% intervals.

    The rates' errors are taken as independent.
    """
    table = without(table, [name for names in GROWTHS.values() for name in names])
    for length, names in GROWTHS.items():
        if f"at {length}" not in table:
            continue
        rates, errors = ([table[f"{part}at {n}"] for n in (50, length)] for part in ("", "error "))
        growth = rates[1] / rates[0]
        parts = (error / rate for error, rate in zip(errors, rates, strict=True))
        spread = np.exp(NORMAL_90 * np.hypot(*parts))
        for name, values in zip(names, (growth, growth / spread, growth * spread), strict=True):
            table[name] = values
    return table


def slopes(table: pd.DataFrame) -> pd.DataFrame:
    """Slopes in Table 5.12, of its printed g and of its variances, with the latter's error."""
    names = ["thesis printed", "thesis recomputed", "its error"]
    table = without(table, names)
    rows = zip(table["method"], table["widths"], strict=True)
    return table.assign(**pd.DataFrame([thesis_slope(*row) for row in rows], table.index, names))


def thesis_slope(title: str, widths: str) -> tuple[float, float, float]:
    """Slope of log g against log width in Table 5.12, printed and recomputed, and its error.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.numbers.beside import thesis_slope
    >>> [round(x, 2) for x in thesis_slope("Dynamical B", "8-20")]
    [0.13, -0.33, 0.13]
    >>> thesis_slope("Gibbs", "8-64")
    (nan, nan, nan)
    """
    rows = _named(recomputed_performance()).query("method == @title")
    if rows.empty or f"{rows['hidden units'].min()}-{rows['hidden units'].max()}" != widths:
        return np.nan, np.nan, np.nan
    x = np.log(rows["hidden units"].to_numpy())
    weights = (x - x.mean()) / ((x - x.mean()) ** 2).sum()
    printed, again = (float(weights @ np.log(rows[name].to_numpy())) for name in PRINTED)
    return printed, again, float(np.linalg.norm(weights * rows["log_error"].to_numpy()))
