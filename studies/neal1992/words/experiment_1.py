"""What the page says of experiment 1."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ...reproduction.verdicts import together
from ..design.printed import BEST_CELL, FAILURE, LEAST, REJECTED
from ..design.schedules import FIGURE_2
from ..numbers.derived import CELL, PERCENT, at_cell, marked
from ..numbers.rates import by_set, paired, predicted
from . import judgements as rules

NEAR = 10.0  # % around the printed rejection
TIGHT = {  # what is claimed of runs that are stuck at the end, and whether it is more
    "Stuck runs have a larger largest weight": ("largest weight", True),
    "A weight of theirs is nearer to a wall": ("least distance to a wall", False),
    "Their tightest coordinate allows smaller steps only": ("largest step", False),
}
WORDS = {"annealed": "with annealing", "plain": "without annealing"}


def gain(table: pd.DataFrame, where: pd.Series) -> Estimate:
    """Rate of failures with annealing less that without, in %."""
    annealed = table["way"] == "annealed"
    found = paired(table, "failed", where & annealed, where & ~annealed)
    return Estimate(PERCENT * found.value, PERCENT * found.error, found.freedom)


def is_annealing_better(table: pd.DataFrame) -> list[Claim]:
    """Judge the report's first claim, and where it is said to hold above all."""
    every = pd.Series(True, index=table.index)
    best = at_cell(table)
    found = {"all cells": gain(table, every)}
    here, elsewhere = gain(table, best), gain(table, ~best)
    annealed = table["way"] == "annealed"
    both = [
        by_set(table[where & annealed], "failed") - by_set(table[where & ~annealed], "failed")
        for where in (~best, best)
    ]
    more = {"difference of differences": mean_of(PERCENT * (both[0] - both[1]))}
    shown = f"{says({'elsewhere': elsewhere, 'best cell': here}, '%')}; {says(more, '%')}"
    return [
        Claim("Annealing makes failures fewer", rules.less(found), says(found, "%"), "less"),
        Claim(
            "It does so above all where step sizes are not the best",
            rules.less(more),
            shown,
            "less",
        ),
    ]


def best_cells(table: pd.DataFrame) -> list[Claim]:
    """Judge which cells are best."""
    claims = []
    for way, words in WORDS.items():
        rows = table[table["way"] == way].assign(share=PERCENT * table["failed"])
        claim = f"1e-4 and 0.71 are the best median and spread of step sizes {words}"
        claims.append(is_best(claim, rows, "share", BEST_CELL, ("the fewest failures are", "%")))
    return claims


def is_best(
    claim: str, rows: pd.DataFrame, name: str, cell: tuple[float, float], words: tuple[str, str]
) -> Claim:
    """Judge whether a column is least in a cell of the grid; ``words`` say what of it, and unit."""
    each = rows.pivot_table(index="data set", columns=["step size", "spread"], values=name)
    least = each.mean().idxmin()
    found = {one: mean_of(each[one] - each[least]) for one in each}
    found[least] = Estimate(0.0, 0.0)
    here = next((one for one in found if np.allclose(one, cell, rtol=0.01)), None)
    text = f"{len(rules.candidates(found))} of {len(found)} cells are candidates; {words[0]} at "
    text += f"{least[0]:.3g} and {least[1]:g}, {each.mean().min():.3g}{words[1]}"
    if here is not None:
        text += f"; here {each[here].mean():.3g}{words[1]}"
    return Claim(claim, rules.best(found, here or ()), text, "best")


def least_errors(table: pd.DataFrame) -> list[Claim]:
    """Judge the printed errors of the best runs."""
    claims = []
    for way, words in WORDS.items():
        rows = table[at_cell(table) & (table["way"] == way) & (table["failed"] == 0)]
        spread = predicted(rows.groupby("data set")["test error"].min())
        verdict = rules.in_the_spread(LEAST[way], spread)
        text = f"{says({'one more data set': spread})}, from {rows['data set'].nunique()} of them"
        claims.append(
            Claim(
                f"The best run {words} has an error of {LEAST[way]}", verdict, text, "in the spread"
            )
        )
    return claims


def rejections(table: pd.DataFrame) -> list[Claim]:
    """Judge how many trajectories are rejected where runs are not stuck.

    The report says so of the runs of its Figure 2, annealed or not. The mean over all cells says
    where a grid ends, as large steps are rejected more often, and stands beside.
    """
    free = table[~table["stuck"]]
    low, high = REJECTED - NEAR, REJECTED + NEAR
    here = free[at_cell(free, FIGURE_2)]
    ways = {words: here[here["way"] == way] for way, words in WORDS.items()}
    end = {words: mean_of(PERCENT * by_set(rows, "rejected")) for words, rows in ways.items()}
    change = {
        f"early less late, {words}": mean_of(
            PERCENT * (by_set(rows, "rejected early") - by_set(rows, "rejected"))
        )
        for words, rows in ways.items()
    }
    return [
        Claim(
            f"In the runs of Figure 2 that are not stuck, annealed or not, about {REJECTED:g}% of "
            f"trajectories are rejected at the end, that is {low:g} to {high:g}%",
            together(rules.about(one, low, high, len(end)) for one in end.values()),
            f"{says(end, '%')}; {_everywhere(free)}",
            "about",
        ),
        Claim("Fewer are rejected early", rules.less(change), says(change, "%"), "less"),
    ]


def _everywhere(free: pd.DataFrame) -> str:
    """Say how many are rejected in all cells together, and between which of them that varies."""
    every = {"all cells": mean_of(PERCENT * by_set(free, "rejected"))}
    cells = PERCENT * free.groupby(CELL)["rejected"].mean()
    return f"{says(every, '%')}, by cell {cells.min():.3g} to {cells.max():.3g}%"


def stuck(table: pd.DataFrame) -> list[Claim]:
    """Judge whether runs that fail were stuck, and whether annealing helps that.

    The report says what holds runs while they are stuck, and not of what share of failures.
    """
    failed = table[(table["failed"] == 1) & (table["way"] == "plain")]
    share = mean_of(PERCENT * by_set(failed, "ever"))
    annealed = table["way"] == "annealed"
    fewer = {"annealed less plain": paired(table, "ever", annealed, ~annealed)}
    return [
        Claim(
            "Most failures without annealing were stuck at some time, which is our reading",
            rules.at_most(share, PERCENT / 2).turned(),
            says({"share": share}, "%"),
            "most",
        ),
        Claim("Fewer runs are ever stuck with annealing", rules.less(fewer), says(fewer), "less"),
    ]


def tight(table: pd.DataFrame) -> list[Claim]:
    """Judge why runs are stuck."""
    stuck = table["stuck"]
    runs, sets = int(stuck.sum()), table.loc[stuck, "data set"].nunique()
    claims = []
    for text, (name, more) in TIGHT.items():
        sizes = table.assign(size=np.log10(table[name]))
        of, to = (~stuck, stuck) if more else (stuck, ~stuck)
        title = "others less stuck" if more else "stuck less others"
        found = {title: paired(sizes, "size", of, to)}
        if known(found):
            evidence = f"{runs} stuck runs on {sets} data sets, {says(found, 'powers of ten')}"
            claims.append(Claim(text, rules.less(found), evidence, "less"))
    return claims


def conclude(tables: Tables) -> str:
    """Conclude on Figure 1."""
    table = marked(tables["runs"])
    claims = [*is_annealing_better(table), *best_cells(table), *least_errors(table)]
    of_ours = table["failed"].groupby(table["way"]).mean() * PERCENT
    rates = ", ".join(
        f"{of_ours[way]:.3g}% {words}" for way, words in WORDS.items() if way in of_ours
    )
    return write(claims, f"Over all cells {rates} fail: an error not below {FAILURE}.\n")


def conclude_stuck(tables: Tables) -> str:
    """Conclude on runs that reject nearly everything."""
    table = marked(tables["runs"])
    return write([*rejections(table), *stuck(table), *tight(table)])
