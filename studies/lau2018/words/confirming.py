"""What the digits that no choice of a network has used say about the one that was chosen."""

import pandas as pd

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..numbers.confirming import BETWEEN, DIFFERENCE, ERROR, PAIRED
from ..numbers.estimates import Compared
from ..numbers.limits import BINOMIAL, OWN
from ..numbers.limits import ERROR as WRONG
from ..rules.judgements import Found, below, more, says

MOST_WRONG = 6.0  # percent, the target of any network


def confirmation(tables: Tables) -> list[Claim]:
    """Claims about the network that was chosen, judged by the 797 digits."""
    table = tables.get("confirmation", pd.DataFrame())
    if table.empty or DIFFERENCE not in table:
        return []
    network, found = table.iloc[0], _differences(table.iloc[1:])
    agree = bool(network["max R-hat of outputs"] <= WORST_RHAT)
    return [
        Claim(
            "Every other classifier errs more than the network on codes, on digits that no choice "
            "of a network has used",
            more(found) if agree else Verdict.UNDECIDED,
            f"{says(found)}. {_agreement(network)}",
            "more",
        ),
        Claim(
            f"The network errs on at most {MOST_WRONG:g}% of them",
            below(_error(network), MOST_WRONG) if agree else Verdict.UNDECIDED,
            f"{network[BETWEEN]:.1f} ± {network['± cases']:.1f} (cases) ± "
            f"{network['± chains']:.1f} (chains) percent",
            "below",
        ),
    ]


def chosen_anew(tables: Tables) -> str:
    """Say what peers' settings were chosen by before, and what differences were then."""
    table = tables.get("confirmation", pd.DataFrame())
    before = tables.get("confirmation_shuffled", pd.DataFrame())
    if table.empty or before.empty:
        return ""
    count = len(table) - 1
    text = (
        "That blocks choose the peers' settings was decided after the results had been seen: "
        "classifiers had been scored on both sets before. Until then shuffled folds chose them, "
        "which have the same writers on both sides, while blocks had chosen the network. By those "
        f"the page had {says(_differences(before), count)}, and the rule gives "
        f"**{_before(table, before).value.lower()}** ([more](#how-claims-are-judged))."
    )
    if (table[PAIRED].iloc[1:] == "no").any():
        text += (
            " The network's row is that of the earlier run, whose single cases are not kept: it is "
            "compared unpaired with peers whose settings have changed since. The seconds of those "
            "are of the processor, all others by the clock."
        )
    return f"{text}{_without_chains(tables)}"


def _without_chains(tables: Tables) -> str:
    """Say how the infinitely wide network of the same scales errs on the same digits."""
    limits = tables.get("limits", pd.DataFrame())
    if limits.empty:
        return ""
    own = limits[(limits["inputs"] == "edges") & (limits["scales"] == OWN)]
    if own.empty:
        return ""
    error, cases = (float(own[column.format("797")].iloc[0]) for column in (WRONG, BINOMIAL))
    return (
        f" An infinitely wide network of the same scales, which needs no chains, errs on "
        f"{error:.1f} ± {cases:.1f} percent of them ([more](#one-layer-on-pixels-infinitely-wide))."
    )


def _before(table: pd.DataFrame, before: pd.DataFrame) -> Verdict:
    """Judge the first claim by peers with settings of shuffled folds, where these choose any."""
    names = ["classifier", "inputs"]
    others = table.iloc[1:].set_index(names)
    rows = pd.concat([before, others.drop(before.set_index(names).index).reset_index()])
    agree = table.iloc[0]["max R-hat of outputs"] <= WORST_RHAT
    return more(_differences(rows)) if agree else Verdict.UNDECIDED


def _differences(peers: pd.DataFrame) -> Found:
    """By how much each peer errs more than the network."""
    return {
        f"{row['classifier']} on {row['inputs']}": Compared(
            Estimate(-row[DIFFERENCE], row[ERROR], paired=row[PAIRED] == "yes")
        )
        for _, row in peers.iterrows()
    }


def _agreement(network: pd.Series) -> str:
    rhat = network["max R-hat of outputs"]
    words = "agree" if rhat <= WORST_RHAT else "do not agree, so that nothing is decided"
    return (
        f"Its chains {words}: the largest R-hat of outputs is {rhat:.3f}, where at most "
        f"{WORST_RHAT:g} is called agreement"
    )


def _error(network: pd.Series) -> Estimate:
    """The network's error, with that of the cases and that of the chains."""
    error = float((network["± cases"] ** 2 + network["± chains"] ** 2) ** 0.5)
    return Estimate(float(network[BETWEEN]), error)
