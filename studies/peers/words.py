"""What the page says."""

import pandas as pd

from ..pages.kept_tables import Tables
from ..reproduction.claims import Claim, write
from ..reproduction.verdicts import Verdict
from .ensembles import NAME
from .fits import BY_ROW, NETWORK, OURS
from .judgements import BEHIND, IN_PLACE, TWO, complete, counted, no_slower, place
from .ordinary import TABLES

WANTED = {"log score": 6, "squared error": 5}
WANTED_USABLE = 7
HALF = 0.5


def beside(tables: Tables) -> str:
    """Judge networks beside the best of the others."""
    table = tables["places"]
    claims = [
        _in_place(table[(table["ours"] == ours) & (table["measure"] == measure)], ours, measure)
        for measure in WANTED
        for ours in OURS
    ]
    return write([*claims, *_by_row(tables["against"])], _without_ensembles(tables["against"]))


def _by_row(table: pd.DataFrame) -> list[Claim]:
    """Judge noise of its own for each row beside the same noise for all."""
    rows = table[(table["ours"] == BY_ROW) & (table["peer"] == NETWORK)]
    z = rows["log score"] / rows["error of log score"]
    yes, no = rows["table"][z > TWO], rows["table"][z < -TWO]
    verdict = counted(len(yes), len(no), len(TABLES), len(TABLES) // 2 + 1)
    if not complete(rows["folds"]):
        verdict = Verdict.UNDECIDED
    evidence = f"better on {len(yes)} of {len(rows)} ({', '.join(yes)}), worse on {len(no)}"
    evidence += f" ({', '.join(no)})" if len(no) else ""
    text = "By log score noise by row is better than the same noise for all rows"
    return [Claim(text, verdict, evidence, "better")]


def _in_place(rows: pd.DataFrame, ours: str, measure: str) -> Claim:
    """Judge on how many tables a network is in place."""
    found = [place(*row) for row in rows[["ahead", "error"]].itertuples(index=False)]
    yes, no = found.count(IN_PLACE), found.count(BEHIND)
    verdict = counted(yes, no, len(TABLES), WANTED[measure])
    if not complete(rows["folds"]):
        verdict = Verdict.UNDECIDED
    behind = [
        str(name) for name, where in zip(rows["table"], found, strict=True) if where == BEHIND
    ]
    evidence = f"in place on {yes} of {len(found)}, behind on {no}"
    return Claim(
        f"By {measure} the {ours} is best, or within one error, on at least {WANTED[measure]} of "
        f"{len(TABLES)} tables",
        verdict,
        f"{evidence} ({', '.join(behind)})" if no else evidence,
        "in place",
    )


def _without_ensembles(table: pd.DataFrame) -> str:
    if NAME in set(table["peer"]):
        return ""
    return f"**The package of {NAME} was not installed, and is not compared.**"


def draws(tables: Tables) -> str:
    """Judge whether draws can be used, and how long they take."""
    table = tables["scores"]
    claims = []
    for ours in OURS:
        rows = table[table["contender"] == ours]
        share = rows["usable"] / rows["folds"]
        yes, no = int((share == 1).sum()), int((share <= HALF).sum())
        verdict = counted(yes, no, len(TABLES), WANTED_USABLE)
        text = f"Draws of the {ours} are usable on at least {WANTED_USABLE} of {len(TABLES)} tables"
        if not complete(rows["folds"]):
            verdict = Verdict.UNDECIDED
        each = f"all folds on {yes} of {len(rows)}, at most half of them on {no}"
        claims.append(Claim(text, verdict, each, "usable"))
    return write([*claims, *_seconds(tables["against"])])


def _seconds(table: pd.DataFrame) -> list[Claim]:
    rows = table[(table["ours"] == NETWORK) & (table["peer"] == NAME)]
    if not len(rows):
        return []
    verdict, evidence = no_slower(rows)
    if not complete(rows["folds"]):
        verdict = Verdict.UNDECIDED
    return [Claim(f"The {NETWORK} takes no longer than {NAME}", verdict, evidence, "no slower")]
