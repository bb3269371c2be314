"""What the page says of temperatures and errors, from the numbers of its tables alone."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..design.networks import FLOOR
from ..design.printed import UNINFORMED
from ..numbers.derived import stopping
from ..numbers.least_errors import least, least_error, least_if_alike
from ..numbers.levels import Level, level, levels_of, over_directions, widened
from . import judgements as rules
from .best import best_within, of_best, too_few
from .judgements import says

SAMPLED = "Sampling the posterior predicts better than minimising"
OF_A_DRAW = "by the mean error of a draw"


def rows_of(
    tables: Tables, network: str, cases: int | None = None, walls: str = "reflect"
) -> pd.DataFrame:
    """Chains of a network at all temperatures, with widened errors."""
    table = tables["temperatures"]
    found = widened(table[(table["network"] == network) & (table["walls"] == walls)])
    return found if cases is None else found[found["cases"] == cases]


def sizes(tables: Tables, network: str) -> list[int]:
    """Numbers of training cases that there are."""
    return sorted(int(cases) for cases in rows_of(tables, network)["cases"].unique())


def at(rows: pd.DataFrame, temperature: float) -> pd.DataFrame:
    """Chains at a temperature."""
    return rows[np.isclose(rows["temperature"], temperature)]


def against_minimised(tables: Tables) -> list[Claim]:
    """Judge that the posterior predicts better than minimised networks (3.4)."""
    known = tables.get("minimised", pd.DataFrame())
    single, averaged, as_many = {}, {}, {}
    for cases in sizes(tables, "M3"):
        here = (
            known[(known["network"] == "M3") & (known["cases"] == cases)] if len(known) else known
        )
        rows = at(rows_of(tables, "M3", cases), 1.0)
        if here.empty or rows.empty:
            continue
        row = here.iloc[0]
        other = Estimate(row["test error"], row["± test"], row["networks"] - 1)
        drawn = over_directions(rows, lambda one: levels_of(one, "test error"))
        single[f"{cases} cases"] = drawn.minus(other)
        mean = over_directions(rows, _predictive).wider
        averaged[f"{cases} cases"] = mean.minus(other)
        if row.get("averages", 0) > 1:
            ensembles = Estimate(row["averaged error"], row["± averaged"], row["averages"] - 1)
            as_many[f"{cases} cases"] = mean.minus(ensembles)
    claims = [
        Claim(
            f"{SAMPLED}, {OF_A_DRAW} at T = 1 of M(3), which is what the paper shows",
            rules.less(single),
            says(single, "nats"),
            "less",
        ),
        Claim(
            f"{SAMPLED}, by the error of probabilities that are averaged over a chain's draws, as "
            "those of minimised networks are not",
            rules.less(averaged),
            says(averaged, "nats"),
            "less",
        ),
    ]
    if as_many:
        text = f"{SAMPLED}, both by the error of probabilities averaged over as many networks"
        claims.append(Claim(text, rules.less(as_many), says(as_many, "nats"), "less"))
    return claims


def _predictive(rows: pd.DataFrame) -> Level:
    """Error of averaged probabilities, over chains, which have no error of their own."""
    mean = level(rows["predictive"].to_numpy(), np.zeros(len(rows)))
    return Level(mean, mean)


def where_best(tables: Tables) -> list[Claim]:
    """Judge where the test error of M(3) is least (3.4)."""
    claims = []
    every = sizes(tables, "M3")
    for cases in every:
        above = len(every) > 1 and cases == every[-1]
        low, high = (1.0, np.inf) if above else (1 / rules.NEAR, rules.NEAR)
        place = "above" if above else "about"
        text = f"With {cases} cases the test error of M(3) is least {place} T = 1, {OF_A_DRAW}"
        claims.append(_best(tables, "M3", cases, text, low, high))
    return claims


def _best(tables: Tables, network: str, cases: int, text: str, low: float, high: float) -> Claim:
    rows = rows_of(tables, network, cases)
    finite = rows[np.isfinite(rows["temperature"])]
    best = least(finite, "test error")
    lowest = finite.groupby("temperature")["test error"].mean()
    ladder = lowest.index
    said = [
        of_best(best, ladder),
        f"least mean {lowest.min():.3g} at T = {lowest.idxmin():.2g}",
    ]
    verdict = best_within(best, low, high)
    if verdict == Verdict.UNDECIDED:
        alike = least_if_alike(finite, "test error")
        said += filter(None, [too_few(alike, low, high, ladder)])
    return Claim(text, verdict, "; ".join(said), "best")


def uninformed(tables: Tables) -> list[Claim]:
    """Judge how M(3) compares with a classifier that knows nothing, and with M(3*)'s floor."""
    claims = []
    for cases in (c for c in sizes(tables, "M3") if c == 50):
        found = {"Equal probabilities less the least": -_least_over(tables, cases, UNINFORMED)}
        text = (
            f"With {cases} cases M(3) predicts worse than equal probabilities at all temperatures, "
            f"{OF_A_DRAW}"
        )
        said = f"{says(found, 'nats')}; {_averaged(tables, cases)}, beside {UNINFORMED:.2f}"
        claims.append(Claim(text, rules.less(found), said, "least"))
    for cases in (c for c in sizes(tables, "M3") if c == 500):
        found = {f"The least less {FLOOR:.2f}": _least_over(tables, cases, FLOOR)}
        text = f"With {cases} cases the least test error of M(3) is below {FLOOR:.2f}, {OF_A_DRAW}"
        said = f"{says(found, 'nats')}; {_averaged(tables, cases)}"
        claims.append(Claim(text, rules.less(found), said, "least"))
    return claims


def _averaged(tables: Tables, cases: int) -> str:
    """Say what averages over draws have at the least, which the claims beside are not about."""
    rows = rows_of(tables, "M3", cases)
    means = rows[np.isfinite(rows["temperature"])].groupby("temperature")["predictive"].mean()
    least_one = f"{means.min():.3g} at T = {means.idxmin():.2g}"
    return f"the least mean where probabilities are averaged over draws is {least_one}"


def _least_over(tables: Tables, cases: int, known: float) -> Estimate:
    return least_error(rows_of(tables, "M3", cases)).minus(Estimate(known, 0.0))


def stops_early(tables: Tables) -> list[Claim]:
    """Judge that annealing that stops when errors rise ends at the least error (3.4)."""
    table = stopping(tables)
    table = table[table["network"] == "M3"] if len(table) else table
    found, there = {}, []
    for _, row in table.iterrows():
        name = f"{row['cases']} cases, chain {row['chain']}"
        error = float(np.hypot(row["± there"], row["± least"]))
        if row["stops at T"] == row["best T"]:
            error = 0.0
            there.append(name)
        difference = Estimate(row["error there"] - row["least error"], error)
        found[name] = (difference, row["least error"])
    elsewhere = {name: one for name, (one, _) in found.items() if name not in there}
    said = [f"{name}: the same temperature" for name in there]
    said += [says(elsewhere, "nats", among=len(found))] if elsewhere else []
    text = "Annealing of M(3) that stops when errors rise ends within a tenth of the least error"
    return [Claim(text, rules.good_enough(found), "; ".join(said), "good enough")]


def figure_3(tables: Tables) -> str:
    """Conclude on M(3)."""
    claims = against_minimised(tables) + where_best(tables) + uninformed(tables)
    return write(claims)


def minima(tables: Tables) -> str:
    """Say whether minimised networks of M(3*) are where no error can be less."""
    table = tables["minimised"]
    table = table[table["network"] == "M3star"]
    each = [
        f"With {row['cases']} cases M(3*) has a training error of {row['training error']:.3g} "
        f"after {row['steps']:,.0f} steps, {row['training error'] - FLOOR:.2g} above the "
        f"{FLOOR:.2f} that it cannot be below."
        for _, row in table.iterrows()
    ]
    more = "More steps may make it less, and the largest weights larger." if each else ""
    return "\n".join([*each, more])


def early(tables: Tables) -> str:
    """Conclude on early stopping."""
    return write(stops_early(tables))


def figure_4(tables: Tables) -> str:
    """Conclude on M(3*)."""
    claims = [
        _best(
            tables,
            "M3star",
            cases,
            f"With {cases} cases the test error of M(3*) is least far below T = 1, {OF_A_DRAW}",
            0.0,
            rules.FAR,
        )
        for cases in sizes(tables, "M3star")
    ]
    return write(claims)
