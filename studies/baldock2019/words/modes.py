"""What the page says of networks with separate modes."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ..runs.modes import ALONE, LADDER
from . import judgements as rules
from .judgements import says

HALF = Estimate(0.5, 0.0)


def modes(tables: Tables) -> str:
    """Conclude on whether chains find all modes, and in the right proportion."""
    claims, table = [], tables["modes"]
    for _, row in table.iterrows():
        who = "Chains of a ladder" if row["sampled"] == LADDER else "Chains alone"
        which = f"1-{row['units']}-1, cases {row['cases']}"
        said = (
            f"{_how_many(table, row)}: R-hat of the log likelihood {row['R-hat']:.3f}; mean "
            f"{row['log likelihood']:.1f}, least of a chain {row['least chain']:.1f} nats"
        )
        claims.append(Claim(f"{who} agree on {which}", rules.agree(row["R-hat"]), said, "agree"))
        if row["cases"] == "mirrored":
            name = "first half"
            share = Estimate(row[name], row[f"± {name}"], row[f"freedom {name}"])
            said = says({"Share that fits the first half better": share})
            text = f"{who} give both sides of {which} a probability of one half"
            claims.append(Claim(text, rules.as_printed(share, HALF), said, "as printed"))
    return write(claims)


def _how_many(table: pd.DataFrame, row: pd.Series) -> str:
    """Say how many chains there are, and how long those of a ladder took beside chains alone."""
    if row["sampled"] != LADDER:
        return f"{row['chains']} chains"
    same = (table["units"] == row["units"]) & (table["cases"] == row["cases"])
    alone = table[same & (table["sampled"] == ALONE)]
    if alone.empty:
        return f"{row['chains']} ladders"
    ratio = row["seconds"] / alone["seconds"].iloc[0]
    return f"{row['chains']} ladders, in {ratio:.2g} times the seconds of chains alone"
