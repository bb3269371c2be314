"""What the page says of variational bounds on the evidence."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.rules import known, says
from ..design.networks import SMALL
from ..numbers.approximated import OF_BOUNDS
from ..numbers.bounds import missed, of_methods
from ..runs.approximations.evidence_framework import copies
from . import judgements as rules

NAMES = {"mean field": "the mean field", "full rank": "the approximation of full rank"}
NEAR = 2.0  # nats


def conclude(tables: Tables) -> str:
    """Conclude on bounds with eight units, where evidence by sampling is there too."""
    claims = []
    for method in of_methods(tables):
        found = {"bound less evidence": missed(tables, method)}
        if known(found):
            text = f"The bound of {NAMES[method]} lies below the evidence by sampling"
            claims.append(Claim(text, rules.less(found), says(found, "nats"), "less"))
        all_copies = {"with copies less evidence": missed(tables, method, copies(SMALL[0]))}
        if known(all_copies):
            one = all_copies["with copies less evidence"]
            text = f"With all copies of its mode, that of {NAMES[method]} is within 2 nats of it"
            verdict = rules.about(one, -NEAR, NEAR)
            claims.append(Claim(text, verdict, says(all_copies, "nats"), "about"))
    return write(claims, ascents(tables["approximations"]))


def ascents(table: pd.DataFrame) -> str:
    """Say how many ascents converged, with nineteen units."""
    column = OF_BOUNDS["converged"]
    if column not in table or not table[column].notna().any():
        return ""
    each = table[table[column].notna()].groupby("method", sort=False)
    said = [
        f"{int(rows[column].sum())} of {len(rows)} of {NAMES[str(method)]}, after "
        f"{rows[OF_BOUNDS['steps']].median():,.0f} steps in the median, at a bound of "
        f"{rows[OF_BOUNDS['bound']].mean():.4g} nats"
        for method, rows in each
    ]
    return f"With nineteen units these ascents converged: {'; '.join(said)}.\n"
