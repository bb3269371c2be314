"""What chains that agree say about priors, scales, layers and widths (Lau 2018, 4.5-4.12)."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.verdicts import Verdict, together
from ..design.agreed import PLACES, SCALED_WIDTHS, width_row
from ..numbers.agreed import COUNTS, RATE, RHAT
from ..numbers.differences import compared
from ..rules.judgements import Found, all_as_large, equal, more, not_best, says, says_size
from ..rules.mixing import LEAST, SAME
from .thesis_words import ARD_PAIRS

Pairs = Mapping[str, tuple[str, str]]
PRIORS = {row: (row, "normal") for row in PLACES["priors"] if row != "normal"}
UNITS = {one: (other, one) for one, other in ARD_PAIRS.items()}
HORSESHOES = {"horseshoe": ("horseshoe", "regularized_horseshoe")}
SCALED = {f"{units} units": (f"scaled-{units}", width_row(units)) for units in SCALED_WIDTHS}
LAYERS = {"4 against 2 layers": ("4", "2")}


def agreed(tables: Tables) -> list[Claim]:
    """Claims about networks, judged by rows whose chains agree."""
    if not {"agreed", "agreed_differences"} <= set(tables) or tables["agreed"].empty:
        return []
    worse, as_thesis = "more", ("They do by as much as the thesis says", "as much")
    judged = (
        ("priors", PRIORS, ("All hierarchical priors err more than the normal one", worse)),
        ("priors", PRIORS, as_thesis),
        ("priors", PRIORS, ("They err as often as the normal one", "equal")),
        ("priors", UNITS, ("They err more without scales by unit (ARD)", worse)),
        ("priors", HORSESHOES, ("The horseshoe errs more than the regularized one", worse)),
        ("scaled_priors", SCALED, ("Scaled priors err more than unscaled ones", worse)),
        ("scaled_priors", SCALED, as_thesis),
        ("layers", LAYERS, ("Four hidden layers err more than two", worse)),
        ("layers", LAYERS, as_thesis),
    )
    rows = set(tables["agreed"]["row"])
    there = [one for one in judged if any(set(pair) <= rows for pair in one[1].values())]
    return [
        *(_claim(tables, table, pairs, *said) for table, pairs, said in there),
        *_widths(tables),
    ]


def _widths(tables: Tables) -> list[Claim]:
    """WAIC's choice among widths, judged by rows that count."""
    rows = tables["agreed"].set_index("row")
    there = [row for row in PLACES["information_criterion"] if row in rows.index]
    if len(there) < 2:
        return []
    chosen = str(rows.loc[there, "WAIC"].idxmax())
    wanted = {row: (row, chosen) for row in there if row != chosen}
    errs = "WAIC does not choose the width that errs least"
    alike = "The other widths err as often as its choice"
    claims = [
        _claim(tables, "information_criterion", wanted, text, rule)
        for text, rule in ((errs, "not best"), (alike, "equal"))
    ]
    head = f"It chooses {chosen}; the others' errors less its: "
    return [replace(claim, evidence=head + claim.evidence) for claim in claims]


JUDGES: Mapping[str, tuple[Callable[[Found], Verdict], Callable[[Found], str]]] = {
    "more": (more, says),
    "as much": (all_as_large, says_size),
    "equal": (equal, says),
    "not best": (not_best, says),
}


def _claim(tables: Tables, table: str, wanted: Pairs, text: str, rule: str) -> Claim:
    """Judge a claim by the pairs whose rows both count; another one keeps it from standing."""
    rows = tables["agreed"].set_index("row")
    judge, write = JUDGES[rule]
    counting, left_out = _split(rows, wanted)
    differences = {
        title: compared(tables["agreed_differences"], table, *pair)
        for title, pair in counting.items()
    }
    found = {title: one for title, one in differences.items() if one is not None}
    verdict = judge(found) if found else Verdict.UNDECIDED
    if left_out:
        verdict = together([verdict, Verdict.UNDECIDED])
    return Claim(text, verdict, _evidence(write(found), left_out, rows), rule)


def _split(rows: pd.DataFrame, wanted: Pairs) -> tuple[Pairs, list[str]]:
    """Pairs whose rows both count, and the rows of others that do not."""
    count = set(rows.index[rows[COUNTS] == "yes"])
    there = {title: pair for title, pair in wanted.items() if set(pair) <= set(rows.index)}
    every = {row for pair in there.values() for row in pair}
    counting = {title: pair for title, pair in there.items() if set(pair) <= count}
    return counting, sorted(every - count)


def _evidence(text: str, left_out: list[str], rows: pd.DataFrame) -> str:
    if not left_out:
        return text
    each = ", ".join(f"{row} (R-hat {rows.loc[row, RHAT]:.2f})" for row in left_out)
    return f"{text}{'. ' if text else ''}Not counted, for their chains do not agree: {each}"


def ways(tables: Tables) -> str:
    """Say what has the largest rate on each prior, by effective outputs a second."""
    table = tables.get("ways", pd.DataFrame())
    if table.empty:
        return "No results to judge yet."
    each = ", ".join(_best_way(rows) for _, rows in table.groupby("prior", sort=False))
    return (
        f"Largest rate, which decides nothing where fewer than {LEAST:g} draws are effective or "
        f"another way is within a factor of two: {each}."
    )


def _best_way(rows: pd.DataFrame) -> str:
    """Name the way with the largest rate, and give the rate if there are draws enough for one."""
    best = rows.loc[rows[RATE].idxmax()]
    title = f"{best['way']} for {best['prior']}"
    if best["median ESS of outputs"] < LEAST:
        return f"{title} (too few)"
    close = rows[(rows[RATE] * SAME >= best[RATE]) & (rows["way"] != best["way"])]["way"]
    others = f", {' and '.join(close)} within a factor of two" if len(close) else ""
    return f"{title} ({best[RATE]:.2g} effective draws a second{others})"
