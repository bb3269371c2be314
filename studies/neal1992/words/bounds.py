"""What the page says of variational bounds on the evidence."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.rules import known, says
from ..design.networks import SMALL
from ..numbers.approximated import OF_BOUNDS
from ..numbers.bounds import CONVERGED, missed, of_methods
from ..runs.approximations.evidence_framework import copies
from . import judgements as rules

NAMES = {"mean field": "the mean field", "full rank": "the approximation of full rank"}
NEAR = 2.0  # nats
ENDED = "where its ascents end"  # which may be before they converge


def conclude(tables: Tables) -> str:
    """Conclude on bounds with eight units, where evidence by sampling is there too."""
    claims = []
    for method in of_methods(tables):
        ended = converged(tables["approximations"], method, CONVERGED)
        found = {"bound less evidence": missed(tables, method)}
        if known(found):
            text = f"The bound of {NAMES[method]}, {ENDED}, lies below the evidence by sampling"
            said = f"{says(found, 'nats')}; {ended}"
            claims.append(Claim(text, rules.less(found), said, "less"))
        all_copies = {"with copies less evidence": missed(tables, method, copies(SMALL[0]))}
        if known(all_copies):
            one = all_copies["with copies less evidence"]
            text = (
                f"With all copies of its mode, that of {NAMES[method]}, {ENDED}, is within 2 nats"
            )
            verdict = rules.about(one, -NEAR, NEAR)
            said = f"{says(all_copies, 'nats')}; {ended}"
            claims.append(Claim(f"{text} of it", verdict, said, "about"))
    return write(claims, ascents(tables["approximations"]))


def converged(table: pd.DataFrame | None, method: str, column: str) -> str:
    """Say how many ascents of a variational approximation converged; empty if that is not known.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.neal1992.words.bounds import converged
    >>> table = pd.DataFrame({"method": "full rank", "converged": [1.0, 0.0, 0.0]})
    >>> converged(table, "full rank", "converged")
    '1 of 3 ascents converged'
    """
    if table is None or column not in table:
        return ""
    rows = table[(table["method"] == method) & table[column].notna()]
    return f"{int(rows[column].sum())} of {len(rows)} ascents converged" if len(rows) else ""


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
