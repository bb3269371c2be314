"""What the page says of where chains come from, of walls, and of the evidence."""

from dataclasses import replace

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.verdicts import Verdict
from ..design.networks import NETWORKS, WIDTHS
from ..design.printed import LOG_RATIO
from ..numbers.derived import FEWEST
from ..numbers.evidence import BRIDGE, LADDERS, NONE, PAPER, bridged_chains
from ..numbers.ladders import corrections, evidence_of, widened_ladders
from ..numbers.levels import CHAIN, Level, levels_of, over_directions
from ..runs.bridging import CASES
from . import judgements as rules
from .conclusions import at, rows_of, sizes
from .judgements import says

TRIP = (
    "A replica moves by one temperature where it changes places. A round trip, from one end of a "
    "ladder to the other and back, therefore takes twice as many attempts as a ladder has steps or "
    "more.\n"
)
MINIMA = "The bridge from minima, one for each chain, gives the log evidence of"
OURS = "Mean of cooled and heated ladders"
BEGINS = {"cooling": "from the prior", "heating": "from a minimum"}


def by_way(tables: Tables, network: str, ways: tuple[str, ...], cases: int = CASES) -> Level:
    """Log evidence of a network, over chains that were sampled in these ways."""
    table = widened_ladders(tables["evidence"])
    rows = (table["network"] == network) & (table["cases"] == cases) & table["by"].isin(ways)
    found = over_directions(table[rows], evidence_of, "by")
    if PAPER in ways:  # no chain of ours
        return _of(replace(found.plain, freedom=np.inf))
    if BRIDGE in ways:  # its error is the spread of its chains
        return _of(replace(found.plain, freedom=max(bridged_chains(tables) - 1, 1)))
    return found


def _of(one: Estimate) -> Level:
    return Level(one, one)


def both_ways(tables: Tables) -> str:
    """Conclude on whether cooled and heated chains meet."""
    claims = []
    for name, cases in (
        tables["evidence"][["network", "cases"]].drop_duplicates().itertuples(index=False)
    ):
        who = f"{NETWORKS[name].title} with {cases} cases: chains that are cooled and chains that"
        cooled, heated = (by_way(tables, name, (way,), cases) for way in LADDERS)
        if not np.isfinite(cooled.plain.value - heated.plain.value):
            continue
        text = f"{who} are heated give log evidences within {rules.NATS:.1f} nats of each other"
        found = {"Cooled less heated": cooled.minus(heated)}
        verdict = rules.same(cooled, heated, rules.NATS)
        said = says(found, "nats") + (_apart(verdict) if rules.clear(found) else "")
        claims.append(Claim(text, verdict, said, "same"))
        errors = at(rows_of(tables, name, cases), 1.0)
        colder, hotter = (
            levels_of(errors[errors["direction"] == way], "test error") for way in LADDERS
        )
        text = f"{who} are heated have test errors at T = 1 {rules.NEARLY}"
        said = says({"Cooled less heated": colder.minus(hotter)}, "nats")
        claims.append(Claim(text, rules.same(colder, hotter), said, "same"))
    return write(claims)


def _apart(verdict: Verdict) -> str:
    """Say that numbers differ, also where they are about the same."""
    less = f", but by less than {rules.NATS:.1f} nats" if verdict == Verdict.STANDS else ""
    return f", clearly apart{less}"


def walls(tables: Tables) -> str:
    """Conclude on what kind of walls there are, and on whether chains fill the box."""
    claims = []
    for cases in sizes(tables, "M3"):
        rejected = at(rows_of(tables, "M3", cases, "reject"), 1.0)
        reflected = at(rows_of(tables, "M3", cases), 1.0)
        if rejected.empty or reflected.empty:
            continue
        heated = reflected[reflected["direction"] == "heating"]
        first, second = (levels_of(rows, "training error") for rows in (rejected, heated))
        said = says({"Rejecting less reflecting": first.minus(second)}, "nats")
        text = f"With {cases} cases walls that reject and that reflect give the same training error"
        claims.append(
            Claim(f"{text} of heated chains at T = 1", rules.same(first, second), said, "same")
        )
        claims += [_filled(tables, cases, walls) for walls in ("reject", "reflect")]
    return write(claims)


def _filled(tables: Tables, cases: int, walls: str) -> Claim:
    """Judge that heated chains fill the box at T = 1, beside where they have to."""
    rows = rows_of(tables, "M3", cases, walls)
    rows = rows[rows["direction"] == "heating"]
    here, prior = (at(rows, temperature)["filled"].tolist() for temperature in (1.0, np.inf))
    shares = [", ".join(f"{one:.2f}" for one in each) for each in (here, prior)]
    said = f"Filled {shares[0]}; at T = ∞, where the prior is sampled, {shares[1]}"
    text = f"With {cases} cases and walls that {walls}, heated chains fill the box at T = 1"
    return Claim(text, rules.fills(here), said, "fills")


def cautions_of(tables: Tables, network: str) -> str:
    """What the bridge of a network warns of; empty if it warns of nothing."""
    table = tables["bridges"]
    [found] = table.loc[table["network"] == network, "cautions"]
    return "" if found == NONE else found


def evidence(tables: Tables) -> str:
    """Conclude on the evidence and on the choice between M(3) and M(1)."""
    found = {name: by_way(tables, name, LADDERS) for name in ("M3", "M1")}
    claims = []
    for name, ours in found.items():
        printed = by_way(tables, name, (PAPER,))
        bridged = by_way(tables, name, (BRIDGE,))
        title = NETWORKS[name].title
        said = says({f"{OURS} less printed": ours.minus(printed)}, "nats")
        text = f"The log evidence of {title} is {printed.plain.value:,.0f} nats"
        claims.append(Claim(text, rules.as_printed(ours, printed, rules.NATS), said, "as printed"))
        if np.isfinite(bridged.plain.value):
            said = says({f"{OURS} less bridge": ours.minus(bridged)}, "nats")
            verdict, warned = rules.as_printed(ours, bridged, rules.NATS), cautions_of(tables, name)
            said += f", but the bridge has cautions: {warned}" if warned else ""
            text = f"{MINIMA} {title}"
            verdict = rules.cautioned(verdict, warned)
            claims.append(Claim(text, verdict, said.removesuffix("."), "as printed"))
    claims += _choice(tables, found["M3"].minus(found["M1"]))
    return write(claims, "\n\n".join(filter(None, [of_bridges(tables), _corrected(tables)])))


def of_bridges(tables: Tables) -> str:
    """Say what bridges are, where there are some."""
    if tables.get("bridges", pd.DataFrame()).empty:
        return ""
    return (
        "*bridge* is the paper's method, with the spread of its chains as the error. Where it has "
        "cautions, as the next section says, it decides nothing."
    )


def _corrected(tables: Tables) -> str:
    """Say how much of the integrals is what variances of energies say."""
    found = corrections(tables)
    if found.empty:
        return ""
    few = found[found["draws"] < FEWEST]
    text = (
        "Integrals are by trapezia, with a correction of second order by the variances of "
        f"energies. It is {found['nats'].abs().median():.2g} nats in the median over all chains of "
        f"this page, and up to {found['nats'].abs().max():.3g}."
    )
    return (
        f"{text} In {len(few)} of {len(found)} chains some of these energies are worth fewer than "
        f"{FEWEST:g} draws, so that their variances are hardly known; corrections of those chains "
        f"are up to {few['nats'].abs().max():.3g} nats."
        if len(few)
        else text
    )


def _choice(tables: Tables, ratio: Estimate) -> list[Claim]:
    """Judge the evidence of M(3) to that of M(1), against the ratio that is printed (Eq. 29)."""
    deep, shallow = (by_way(tables, name, (PAPER,)) for name in ("M3", "M1"))
    printed = replace(deep.minus(shallow), value=LOG_RATIO)
    return [
        Claim(
            "M(1) is more probable than M(3)",
            rules.less({"M(3) less M(1)": ratio}),
            says({"Log evidence, M(3) less M(1)": ratio}, "nats"),
            "less",
        ),
        Claim(
            f"It is so by {-LOG_RATIO:,.0f} nats",
            rules.as_printed(ratio, printed, rules.NATS),
            says({"Ours less printed": ratio.minus(printed)}, "nats"),
            "as printed",
        ),
    ]


def of_widths(tables: Tables) -> str:
    """Conclude on what the width of the box does to the choice."""
    found, apart = {}, []
    for factor, (deep, shallow) in WIDTHS.items():
        ratio = by_way(tables, deep, LADDERS).minus(by_way(tables, shallow, LADDERS))
        if np.isfinite(ratio.value):
            found[f"Factor {factor:g}"] = ratio
            cooled, heated = (by_way(tables, deep, (way,)) for way in LADDERS)
            if rules.clear({deep: cooled.minus(heated)}):
                apart.append(
                    f"at factor {factor:g}, chains of M(3) that are cooled and that are "
                    "heated are clearly apart"
                )
    text = "The box's width does not change which network is more probable"
    said = "; ".join([says(found, "nats"), *apart])
    return write([Claim(text, rules.same_choice(found), said, "same choice")])


def ladder(tables: Tables) -> str:
    """Say how replicas walk."""
    table = tables.get("exchanges", pd.DataFrame())
    parts = [TRIP] if len(table) else []
    by = ["network", "cases", *(name for name in CHAIN if name in table)]
    for (name, cases, *chain), one in table.groupby(by, sort=False):
        seen, count = one["replicas seen"], len(one)
        of = f", {BEGINS[chain[0]]}" if chain else ""
        parts.append(
            f"{NETWORKS[str(name)].title}, {cases} cases{of}: neighbours change places in "
            f"{one['swapped with the next'].min():.0%} to {one['swapped with the next'].max():.0%} "
            f"of tries, a temperature sees {seen.min():.0f} to {seen.max():.0f} of {count} "
            f"replicas, and there are {one['round trips'].iloc[0]:.0f} round trips."
        )
    return "\n".join(parts)
