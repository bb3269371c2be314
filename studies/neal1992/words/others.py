"""What the page says of the Metropolis algorithm and of integrators."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ..design.printed import METROPOLIS_BEST, METROPOLIS_CELL
from ..numbers.derived import marked
from ..numbers.rates import by_set, paired
from ..runs.integrators import FOURTH, LEAPFROG, MASSES
from . import judgements as rules
from .experiment_1 import is_best


def metropolis(tables: Tables) -> str:
    """Conclude on the Metropolis algorithm."""
    table = marked(tables["metropolis"])
    table = table.assign(size=np.log10(table["test error"]))
    annealed = table["way"] == "annealed"
    better = {"annealed less plain": paired(table, "size", annealed, ~annealed)}
    succeeded = table["failed"] == 0, table["data set"]
    claims = [
        Claim(
            "No run has an error below the threshold of failure",
            rules.none(*succeeded),
            rules.counted(*succeeded),
            "none",
        ),
        Claim(
            "Annealing makes errors less", rules.less(better), says(better, "powers of ten"), "less"
        ),
    ]
    claims += _beside_hamiltonian(tables, table)
    words = "the least mean error is", " powers of ten"
    step, spread = METROPOLIS_CELL
    best_of = f"{step:g} and {spread:g} are the best median and spread of step sizes with annealing"
    claims.append(is_best(best_of, table[annealed], "size", METROPOLIS_CELL, words))
    best = table.loc[table["test error"].idxmin()]
    said = (
        f"The best run has an error of {best['test error']:.3g}, {best['way']} with "
        f"{best['step size']:.3g} and {best['spread']:g}; the report's best had "
        f"{METROPOLIS_BEST:g}.\n"
    )
    return write(claims, said)


def _beside_hamiltonian(tables: Tables, table: pd.DataFrame) -> list[Claim]:
    if "runs" not in tables:
        return []
    others = tables["runs"].assign(size=np.log10(tables["runs"]["test error"]))
    size = by_set(others, "size") - by_set(table, "size")
    found = {"Hamiltonian less Metropolis": mean_of(size)}
    text = "Hamiltonian Monte Carlo has less error"
    return [Claim(text, rules.less(found), says(found, "powers of ten"), "less")]


def integrators(tables: Tables) -> str:
    """Conclude on whether the fourth order pays, and whether masses do."""
    table = tables["integrators"]
    claims = []
    for text, of, to in (
        ("The fourth-order integrator has fewer effective draws per gradient", FOURTH, LEAPFROG),
        ("Masses that are learnt give more effective draws per gradient", LEAPFROG, MASSES),
    ):
        for what in ("outputs", "energy"):
            each = {t: _ratio(rows, what, of, to) for t, rows in table.groupby("target")}
            found = {f"target {t:g}, {of} less {to}": one for t, one in each.items()}
            if known(found):
                shown = says(found, "powers of ten")
                claims.append(Claim(f"{text}: {what}", rules.less(found), shown, "less"))
    return write(claims)


def _ratio(rows: pd.DataFrame, what: str, of: str, to: str) -> Estimate:
    each = np.log10(rows.pivot(index="data set", columns="integrator", values=what))
    return mean_of(each[of] - each[to]) if {of, to} <= set(each) else Estimate(np.nan, np.inf)
