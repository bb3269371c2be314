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
UNEQUAL = 0.1  # by which seconds that were to be equal may differ


def by_network(tables: Tables) -> pd.DataFrame:
    """Medians over tables and priors of each network, and those over tables of each prior."""
    table = tables.get("ordinary", pd.DataFrame())
    if table.empty:
        return table
    rows = []
    for name, one in groups(table).items():
        row = {"networks": name, "fits": len(one)}
        for column in ("R-hat", "R-hat hyper", "ESS/s", "ESS/s hyper"):
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
    """Decades by which chains alone have more effective draws per second, mean over networks.

    Networks of one table are no independent evidence of others, so that tables are the units of
    the error, each with the mean of its networks; where there is one table, priors are.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.words.ordinary import loss
    >>> rows = pd.DataFrame({"table": [*"aabb"], "prior": "gaussian", "ESS/s ladder": 1.0})
    >>> found = loss(rows.assign(**{"ESS/s alone": [1.0, 1.0, 100.0, 100.0]}), "ESS/s")
    >>> found.value, found.error, found.freedom
    (1.0, 1.0, 1)
    """
    unit = "table" if rows["table"].nunique() > 1 else "prior"
    decades = np.log10(rows[f"{what} alone"] / rows[f"{what} ladder"])
    each = decades.groupby(rows[unit]).mean()
    return level(each.to_numpy(), np.zeros(len(each)))


def ordinary(tables: Tables) -> str:
    """Conclude on where exchange is of use."""
    table = tables["ordinary"]
    claims, wins, losses, certain = [], [], [], []
    every = groups(table)
    for name, rows in every.items():
        found = {
            "outputs": loss(rows, "ESS/s"),
            "hyperparameters": loss(rows, "ESS/s hyper"),
        }
        verdict = rules.less(found)
        wins += [name] if verdict == Verdict.STANDS else []
        losses += [name] if verdict == Verdict.FAILS else []
        lows = [one.interval(len(found) * len(every))[0] for one in found.values()]
        certain += [name] if max(lows) > 0 else []
        text = f"Chains alone have fewer effective draws per second than ladders: {name}"
        claims.append(Claim(text, verdict, says(found, "decades"), "less"))
    return f"{_reached(table)}\n\n{write(claims)}\n\n{_default(wins, losses, certain, len(every))}"


def _reached(table: pd.DataFrame) -> str:
    """Say how unlike the seconds of both ways are, and how many fits did not converge."""
    ratio = table["seconds ladder"] / table["seconds alone"]
    low, middle, high = (f"{ratio.quantile(q):.2g}" for q in (0, 0.5, 1))
    apart = (ratio - 1).abs() > UNEQUAL
    of_nuts = apart & table["prior"].str.contains("horseshoe")
    hyper = int(table["R-hat hyper alone"].notna().sum())
    return (
        f"Ladders took {low} to {high} times the seconds of chains alone, {middle} times in the "
        f"median; for {apart.sum()} of {len(table)} networks seconds differ by more than "
        f"{UNEQUAL:.0%}, {of_nuts.sum()} of them with horseshoes, whose trees of NUTS grow as "
        "chains run: effective draws per second allow for that, and R-hat does not. R-hat is above "
        f"{rules.APART:g} for {_unlike(table, 'R-hat alone')} of {len(table)} networks by chains "
        f"alone and for {_unlike(table, 'R-hat ladder')} by ladders, whose effective draws are "
        f"then hardly known; that of hyperparameters, which {hyper} networks have, for "
        f"{_unlike(table, 'R-hat hyper alone')} and for {_unlike(table, 'R-hat hyper ladder')}."
    )


def _unlike(table: pd.DataFrame, column: str) -> int:
    """How many networks have a larger R-hat than chains that agree."""
    return int((table[column] > rules.APART).sum())


def _default(wins: list[str], losses: list[str], certain: list[str], claims: int) -> str:
    """Say where either way has more draws, by each claim and by all of them at once."""
    lost = (
        "By the interval of each claim by itself chains alone have more effective draws, of "
        f"outputs or of hyperparameters, for: {'; '.join(losses)}; by intervals for all "
        f"{2 * claims} numbers at once, of groups that overlap, for: "
        f"{'; '.join(certain) or 'none'}."
        if losses
        else ""
    )
    if not wins:
        said = (
            'Nowhere does exchange clearly win, so that `method="auto"` samples without it; where '
            "chains disagree it is asked for by `temperature=[...]`."
        )
    else:
        said = f"Exchange clearly wins for: {', '.join(wins)}."
    return f"{said} {lost}".rstrip() + "\n"
