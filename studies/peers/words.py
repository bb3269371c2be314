"""What the page says."""

from collections.abc import Sequence

import pandas as pd

from ..pages.kept_tables import Tables
from ..reproduction.claims import Claim, write
from ..reproduction.verdicts import Verdict
from .ensembles import NAME
from .fits import BY_ROW, NETWORK, OURS
from .judgements import BEHIND, IN_PLACE, MARGIN, complete, counted, no_slower, place, shown
from .ordinary import TABLES

WANTED = {"log score": 6, "squared error": 5}
WANTED_USABLE = 7
MOST = len(TABLES) // 2 + 1
HALF = 0.5
BEST = "best, or within one standard error of the best"


def called(ours: str) -> str:
    """Name one of ours within a sentence.

    Examples
    --------
    >>> from pymc_bnn.studies.peers.words import called
    >>> called("network, noise by row")
    'network with noise by row'
    """
    return ours.replace(", ", " with ")


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
    found = [shown(*row) for row in rows[["log score", "error of log score"]].to_numpy()]
    yes, no = _with(rows, found, Verdict.STANDS), _with(rows, found, Verdict.FAILS)
    verdict = counted(len(yes), len(no), len(TABLES), MOST)
    if not complete(rows["folds"]):
        verdict = Verdict.UNDECIDED
    evidence = f"better on {_named(yes, len(rows))}, worse on {_named(no)}"
    text = "By log score noise by row is better than the same noise for all rows, on at least "
    text += f"{MOST} of {len(TABLES)} tables"
    return [Claim(text, verdict, evidence, "better")]


def _in_place(rows: pd.DataFrame, ours: str, measure: str) -> Claim:
    """Judge on how many tables a network is in place."""
    found = [place(*row) for row in rows[["ahead", "error"]].to_numpy()]
    yes, no = found.count(IN_PLACE), _with(rows, found, BEHIND)
    verdict = counted(yes, len(no), len(TABLES), WANTED[measure])
    if not complete(rows["folds"]):
        verdict = Verdict.UNDECIDED
    return Claim(
        f"By {measure} the {called(ours)} is {BEST}, on at least {WANTED[measure]} of "
        f"{len(TABLES)} tables",
        verdict,
        f"in place on {yes} of {len(found)}, behind on {_named(no)}; by whole intervals "
        f"{_by_intervals(rows, measure)}",
        "in place",
    )


def _by_intervals(rows: pd.DataFrame, measure: str) -> str:
    """Say what intervals show that hold for all tables at once."""
    numbers = rows[["ahead", "error"]].to_numpy()
    far = _with(rows, [shown(*row) for row in numbers], Verdict.FAILS)
    text = f"behind on {_named(far)}"
    if measure != "log score":  # the margin is one of nats
        return text
    near = [shown(ahead, error, MARGIN) for ahead, error in numbers].count(Verdict.STANDS)
    return f"at most {MARGIN:g} nats behind on {near}, and {text}"


def _with(rows: pd.DataFrame, found: Sequence[str], wanted: str) -> list[str]:
    """Tables of which that was found."""
    return [str(name) for name, one in zip(rows["table"], found, strict=True) if one == wanted]


def _named(names: Sequence[str], of: int | None = None) -> str:
    """Count tables and name them."""
    text = str(len(names)) if of is None else f"{len(names)} of {of}"
    return f"{text} ({', '.join(names)})" if names else text


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
        text = f"Draws of the {called(ours)} are usable on at least {WANTED_USABLE} of "
        text += f"{len(TABLES)} tables"
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
