"""What the page says of algorithms of chapter 2, beside their tables."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..numbers.algorithms import LEAPFROGS, UNKNOWN, VARIANCE
from ..rules.judgements import below, keeps
from ..runs.first_steps import GIVEN, WAYS
from ..runs.windows import UPDATES

PRINTED, KEPT, SHARES, ANYWHERE = UPDATES
WINDOWS = (
    "Algorithm 3 lengthens a trajectory by one leapfrog step at a time, in a direction drawn anew, "
    "and keeps one state. Below, one update of a standard normal, by integrals. *As printed* keeps "
    "a new state by its weight over that of the state before it, where we take the weights to be "
    "$e^{-H}$: printed is $H$. *Beside the kept state* has the weight of the state kept so far in "
    "its place, and *by shares* keeps a state by its share of all weights so far. None of these "
    "need leave a distribution as it is, since directions drawn one by one put the start into the "
    "middle of its trajectory more often than at its ends. *Start anywhere* gives it each place "
    "alike; that is what `StaticHMC` does with `window=n_leapfrog + 1`, and keeps no more states. "
    "Rows *whole* of Table 4.13 are run so."
)
FIRST = (
    "Algorithm 9 doubles or halves a step size until the acceptance of one leapfrog step crosses a "
    "half; here warm-up starts from a given one. From the same starts, with the same random "
    "numbers, the thesis's network is warmed up from both, as often as the rows above: leapfrog "
    "steps of all iterations together, and the step size of the last one."
)


def windows(tables: Tables) -> list[Claim]:
    """Claims about windows that grow: which of them leave a normal distribution as it is."""
    table = tables.get("windows", pd.DataFrame())
    texts = {
        PRINTED: "Algorithm 3 as printed leaves a distribution as it is",
        KEPT: "Read with the weight of the kept state it does",
        SHARES: "With states kept by their shares it does",
        ANYWHERE: "With the start anywhere it does",
    }
    if table.empty:
        return []
    claims = []
    for update, text in texts.items():
        rows = table[table["row"] == update]
        off = ", ".join(
            f"{row[VARIANCE] - 1:+.5f} at {row['step size']:g}" for _, row in rows.iterrows()
        )
        verdict = keeps(rows[VARIANCE] - 1, rows[UNKNOWN])
        claims.append(Claim(text, verdict, f"The variance is off by {off}", "keeps"))
    return claims


def first_steps(tables: Tables) -> list[Claim]:
    """Claim that a first step size that is found shortens warm-up."""
    table = tables.get("first_steps", pd.DataFrame())
    if len(table) < 2:
        return []
    given, found = (table[LEAPFROGS.format(way)] for way in WAYS)
    logs = np.log(found / given)
    error = float(logs.std(ddof=1) / np.sqrt(len(logs)))
    ratio = Estimate(float(logs.mean()), error, len(logs) - 1.0)
    low, high = np.exp(ratio.interval())
    shown = f"{np.exp(ratio.value):.3f} ({low:.3f} to {high:.3f}) times as many leapfrog steps"
    text = (
        f"From a first step by Algorithm 9 warm-up takes fewer leapfrog steps than from {GIVEN:g}"
    )
    return [Claim(text, below(ratio, 0.0), shown, "fewer")]


def why_given(tables: Tables) -> str:
    """Say that samplers are given a first step size, where finding one shows no gain."""
    if any(claim.verdict is Verdict.STANDS for claim in first_steps(tables)):
        return ""
    return (
        "As finding it shows no gain, samplers have no option for it: `step_scale` gives the first "
        "step size."
    )
