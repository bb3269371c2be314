"""What the page says of exchange on ordinary tables."""

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..numbers.levels import level
from . import judgements as rules
from .judgements import says

EVERY = "all networks"


def by_network(tables: Tables) -> pd.DataFrame:
    """Medians over tables and priors of each network, and those over tables of each prior."""
    table = tables.get("ordinary", pd.DataFrame())
    if table.empty:
        return table
    rows = []
    for name, one in groups(table).items():
        row = {"networks": name, "fits": len(one)}
        for column in ("R-hat", "ESS/s", "ESS/s hyper"):
            for way in ("alone", "ladder"):
                row[f"{column} {way}"] = one[f"{column} {way}"].median()
        better = one["R-hat ladder"] < one["R-hat alone"]
        rows.append(row | {"ladder has less R-hat in": int(better.sum())})
    return pd.DataFrame(rows)


def groups(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Networks of one size, those of one prior, those of one table, and all."""
    found = {f"{units} units": one for units, one in table.groupby("units", sort=False)}
    found |= {str(prior): one for prior, one in table.groupby("prior", sort=False)}
    found |= {str(name): one for name, one in table.groupby("table", sort=False)}
    return {**found, EVERY: table}


def loss(rows: pd.DataFrame, what: str) -> Estimate:
    """Decades by which chains alone have fewer effective draws per second, mean over networks."""
    decades = np.log10(rows[f"{what} alone"] / rows[f"{what} ladder"])
    return level(decades.to_numpy(), np.zeros(len(rows)))


def ordinary(tables: Tables) -> str:
    """Conclude on where exchange is of use."""
    table = tables["ordinary"]
    claims, wins = [], []
    for name, rows in groups(table).items():
        found = {
            "outputs": loss(rows, "ESS/s"),
            "hyperparameters": loss(rows, "ESS/s hyper"),
        }
        verdict = rules.less(found)
        wins += [name] if verdict == Verdict.STANDS else []
        text = f"Chains alone have fewer effective draws per second than ladders: {name}"
        claims.append(Claim(text, verdict, says(found, "decades"), "less"))
    return f"{write(claims)}\n\n{_default(wins)}"


def _default(wins: list[str]) -> str:
    if not wins:
        return (
            'Nowhere does exchange clearly win, so that `method="auto"` samples without it; where '
            "chains disagree it is asked for by `temperature=[...]`.\n"
        )
    return f"Exchange clearly wins for: {', '.join(wins)}.\n"
