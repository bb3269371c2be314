"""What the page says of sharp transitions, by heat capacities and mean energies."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..design.networks import NETWORKS
from ..numbers.evidence import LADDERS
from ..numbers.heat import Excess, energies, jumps, peaks, within_paper
from . import judgements as rules
from .judgements import says
from .transitions import by_way

OF_PAPER, OTHERS = ("M3",), ("M3star", "M1")


def no_jump(networks: tuple[str, ...], tables: Tables) -> str:
    """Conclude on whether there is a first-order transition (3.4)."""
    claims = []
    for network in networks:
        rows = within_paper(tables, network)
        for cases, chains in rows.groupby("cases") if len(rows) else ():
            if set(chains["direction"]) == set(LADDERS):
                claims.append(_claim(tables, network, int(cases), chains))
    return write(claims)


def _claim(tables: Tables, network: str, cases: int, chains: pd.DataFrame) -> Claim:
    kinds = peaks(chains), jumps(chains)
    sides = [(one.left, one.right) for kind in kinds for one in kind]
    cooled, heated = (by_way(tables, network, (way,), cases) for way in LADDERS)
    apart = {"integrals, cooled less heated": cooled.minus(heated)} | _energies_apart(chains)
    agree = rules.same(cooled, heated, rules.NATS) == Verdict.STANDS and not rules.clear(apart)
    excess = {_named(one): one.lesser for one in (max(kind, key=_score) for kind in kinds)}
    margins = {name: _from_zero(one, len(apart)) for name, one in apart.items()}
    clearest = max(apart, key=lambda name: margins[name])
    said = [
        says(excess, "nats", among=2 * len(sides)),
        says({clearest: apart[clearest]}, "nats", among=len(apart)),
    ]
    unlike = sum(margin > 0 for margin in margins.values())
    counted = f"{unlike} of {len(apart)} such differences are clearly not zero"
    how = "clearly disagree" if unlike else "do not clearly agree"
    said += [] if agree else [f"cooled and heated chains {how}: {counted}"]
    low, high = (f"{limit(chains['temperature']):.3g}" for limit in (min, max))
    text = f"{NETWORKS[network].title} with {cases} cases shows no first-order transition"
    verdict = rules.no_jump(sides) if agree else Verdict.UNDECIDED
    return Claim(f"{text} between T = {low} and {high}", verdict, "; ".join(said), "no jump")


def _from_zero(one: Estimate, among: int) -> float:
    """How far from zero the near end of an interval is; below zero where it holds zero."""
    low, high = one.interval(among)
    return max(low, -high)


def _energies_apart(chains: pd.DataFrame) -> dict[str, Estimate]:
    cooled, heated = (energies(chains[chains["direction"] == way]) for way in LADDERS)
    return {
        f"energies at T = {t:.3g}, cooled less heated": one.minus(heated[t])
        for t, one in cooled.items()
    }


def _score(one: Excess) -> float:
    return one.lesser.value / one.lesser.error


def _named(one: Excess) -> str:
    places = " and ".join(f"{t:.3g}" for t in one.places)
    if len(one.places) == 1:
        return f"Heat capacity at T = {places} less twice a neighbour's"
    return f"its mean between T = {places} less twice an end's"
