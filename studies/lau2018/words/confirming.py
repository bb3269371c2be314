"""What the digits that no choice has used say about the network that was chosen."""

import pandas as pd

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..numbers.confirming import BETWEEN, DIFFERENCE, ERROR
from ..numbers.estimates import Compared
from ..rules.judgements import below, more, says

MOST_WRONG = 6.0  # percent, the target of any network


def confirmation(tables: Tables) -> list[Claim]:
    """Claims about the network that was chosen, judged by the 797 digits."""
    table = tables.get("confirmation", pd.DataFrame())
    if table.empty or DIFFERENCE not in table:
        return []
    network, peers = table.iloc[0], table.iloc[1:]
    found = {
        f"{row['classifier']} on {row['inputs']}": Compared(Estimate(-row[DIFFERENCE], row[ERROR]))
        for _, row in peers.iterrows()
    }
    agree = bool(network["max R-hat of outputs"] <= WORST_RHAT)
    verdict = more(found) if agree else Verdict.UNDECIDED
    return [
        Claim(
            "Every other classifier errs more than the network on codes, on digits that no choice "
            "has used",
            verdict,
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


def _agreement(network: pd.Series) -> str:
    rhat = network["max R-hat of outputs"]
    words = "agree" if rhat <= WORST_RHAT else "do not agree, so that nothing is decided"
    return f"Its chains {words}: the largest R-hat of outputs is {rhat:.3f}"


def _error(network: pd.Series) -> Estimate:
    """The network's error, with that of the cases and that of the chains."""
    error = float((network["± cases"] ** 2 + network["± chains"] ** 2) ** 0.5)
    return Estimate(float(network[BETWEEN]), error)
