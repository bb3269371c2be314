"""What the page says of networks with separate modes."""

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ..runs.modes import LADDER
from . import judgements as rules
from .judgements import says

HALF = Estimate(0.5, 0.0)


def modes(tables: Tables) -> str:
    """Conclude on whether chains find all modes, and in the right proportion."""
    claims = []
    for _, row in tables["modes"].iterrows():
        who = "Chains of a ladder" if row["sampled"] == LADDER else "Chains alone"
        which = f"1-{row['units']}-1, cases {row['cases']}"
        said = (
            f"R-hat of the log likelihood {row['R-hat']:.3f}; mean {row['log likelihood']:.1f}, "
            f"least of a chain {row['least chain']:.1f} nats"
        )
        claims.append(Claim(f"{who} agree on {which}", rules.agree(row["R-hat"]), said, "agree"))
        if row["cases"] == "mirrored":
            name = "first half"
            share = Estimate(row[name], row[f"± {name}"], row[f"freedom {name}"])
            said = says({"Share that fits the first half better": share})
            text = f"{who} give both sides of {which} a probability of one half"
            claims.append(Claim(text, rules.as_printed(share, HALF), said, "as printed"))
    return write(claims)
