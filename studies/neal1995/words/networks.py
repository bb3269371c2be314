"""What the page says of chapter 4: widths, relevance, a real table."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rules import at_most, less, says
from ...reproduction.verdicts import Verdict
from ...tables.robot_arm import OUTPUTS
from ..numbers.derived import found_inputs, paired
from .judgements import TOGETHER, WORSE, WORST_K, most

BASE, WIDE = 16, 1024
NETWORKS = ("normal noise", "t noise")


def widths(tables: Tables) -> str:
    """Judge whether wide networks, and those without end, overfit."""
    table = tables["widths"]
    table = table[~(table.get("k", pd.Series(0.0, table.index)) > WORST_K)]
    claims = []
    for prior in ("scaled", "unscaled", "learnt"):
        base = _fitted(table, "learnt" if prior == "learnt" else "scaled", "network", BASE)
        wide = _fitted(table, prior, "network", WIDE)
        limit = _fitted(table, prior, "limit", WIDE)
        exact = (
            f"a Gaussian process with the covariance of {WIDE} units is"
            if prior == "unscaled"
            else "the limit of many units is"
        )
        for kind, rows in ((f"{WIDE} units are", wide), (exact, limit)):
            text = f"With the {prior} prior {kind} no worse than {BASE}"
            claims += _no_worse(text, table, rows, base)
    return write(
        claims,
        "Wider networks have shorter chains, so that differences are of networks and of how far "
        f"chains came together. Limits have no chains.{_made_by_one(tables['widths'])}",
    )


def _made_by_one(table: pd.DataFrame) -> str:
    """Say which means are those of one data set more than of all others together."""
    said = []
    for (prior, way, units), rows in table.groupby(["prior", "way", "units"], sort=False):
        worst = rows.loc[rows["excess"].idxmax()]
        others = rows["excess"].drop(worst.name)
        if worst["excess"] > others.sum() > 0:
            said.append(
                f"The mean of {units} units ({way}, {prior} prior) is made by one data set, number "
                f"{worst['set']:.0f}, with an excess of {worst['excess']:,.0f} where the others "
                f"have {others.mean():.3g} ± {others.sem():.2g}."
            )
    return "".join(f" {one}" for one in said)


def _fitted(table: pd.DataFrame, prior: str, way: str, units: int) -> pd.Series:
    return (table["prior"] == prior) & (table["way"] == way) & (table["units"] == units)


def _no_worse(text: str, table: pd.DataFrame, these: pd.Series, base: pd.Series) -> list[Claim]:
    """Judge errors beside others, unless chains or weights say that they are not known."""
    if not (these.any() and base.any()):
        return []
    found = paired(table, "excess", these, base, "set")
    both = table[base & table["set"].isin(table[these]["set"])]
    level = float(both["excess"].mean())
    apart = max(float(table[rows]["halves"].mean()) for rows in (these, base))
    margin = table.assign(excess=table["excess"].where(~base, (1 + WORSE) * table["excess"]))
    beyond = paired(margin, "excess", these, base, "set")
    verdict = at_most(beyond, 0.0) if apart <= TOGETHER else Verdict.UNDECIDED
    error = OUTPUTS + level
    share = f"{100 * found.value / error:.3g}% of an error of {error:.0f}"
    sets = f"{len(both)} of {int(base.sum())} data sets"
    said = f"excess of {level:.3g} on {sets}; {says({'difference': found})}, {share}; "
    said += says({f"beyond {1 + WORSE:g} times it": beyond})
    evidence = f"{said}; halves differ by {apart:.3g} of the noise"
    return [Claim(text, verdict, evidence, "no worse")]


def relevance(tables: Tables) -> str:
    """Judge ARD."""
    table = found_inputs(tables["relevance"])
    ard = table[table["prior"] == "ARD"]
    found, above, shut = (int(ard[name].sum()) for name in ("found", "above", "shut"))
    better = paired(table, "excess", table["prior"] == "ARD", table["prior"] == "shared", "set")
    return write(
        [
            Claim(
                "ARD gives both angles larger weights than their own copies and noise",
                most(found, len(ard)),
                f"{found} of {len(ard)} data sets",
                "most",
            ),
            Claim(
                "It gives both larger weights than both copies and noise",
                most(above, len(ard)),
                f"{above} of {len(ard)} data sets",
                "most",
            ),
            Claim(
                "ARD gives noise smaller weights than angles and copies",
                most(shut, len(ard)),
                f"{shut} of {len(ard)} data sets",
                "most",
            ),
            Claim(
                "Errors are smaller with ARD than with one precision for all inputs",
                less({"": better}),
                says({"difference of excess": better}),
                "less",
            ),
        ]
    )


OTHERS = "a linear model, a Gaussian process and boosted trees"


def boston(tables: Tables) -> str:
    """Judge networks beside scikit-learn, and kinds of noise."""
    table = tables["boston"]
    ways = [way for way in table["way"].unique() if way not in NETWORKS]
    claims = []
    for measure, sign in (("squared error", 1.0), ("log score", -1.0)):
        found = {
            f"{network} less {way}": _difference(table, measure, network, way)
            for network in NETWORKS
            for way in ways
        }
        signed = {name: one if sign > 0 else -one for name, one in found.items()}
        text = f"Both networks have a better {measure} than {OTHERS}"
        claims.append(Claim(text, less(signed), says(found), "less"))
    noise = _difference(table, "log score", *NETWORKS)
    verdict: Verdict = less({"": noise})
    text = "The log score is better with t noise than with normal noise"
    return write([*claims, Claim(text, verdict, says({"normal less t": noise}), "less")])


def _difference(table: pd.DataFrame, measure: str, first: str, second: str) -> Estimate:
    return paired(table, measure, table["way"] == first, table["way"] == second, "fold")
