"""What the page says of priors."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ..design.priors import ANNEALED, EACH_UNIT, HEAVY, LOGISTIC, OURS, PRIORS
from ..numbers.beside import by_prior, less_than
from ..numbers.evidence import RATIO, apart, cautioned, laddered, measured, one_sided
from . import judgements as rules
from .annealed import medians, of_failures
from .experiment_2 import chains_apart, difference, less_claim

SLOW = 2.0  # nats
OTHERS = tuple(name for name in (*PRIORS, LOGISTIC) if name != OURS)
MEASURED = {
    EACH_UNIT: f'By ladders the evidence of the prior "{EACH_UNIT}"',
    HEAVY: f'By ladders the evidence of the prior "{HEAVY}"',
    ANNEALED: f'Along annealed runs the evidence of the prior "{LOGISTIC}"',
}
SCORES = {
    "annealed": "The log score of the report's model, annealed, is below the recommended one's",
    "gaussian": "That of a normal prior of a fixed scale is below it",
}


def conclude(tables: Tables) -> str:
    """Conclude on the evidence and the scores of priors with eight units."""
    table, claims = by_prior(tables), _of_evidence(tables)
    for name in OTHERS:
        found = {f"{name} less {OURS}": less_than(table, name, OURS, "log score")}
        text = f'The prior "{name}" predicts test cases worse than the recommended one'
        claims += less_claim(text, found, "nats")
    said = _of_bridges(tables)
    return write([*claims, *_of_annealed_runs(table)], said)


def _of_evidence(tables: Tables) -> list[Claim]:
    """Judge evidence, and whether what else measures it agrees with bridges between posteriors.

    Where a bridge is judged, draws of our posterior alone and ladders have to say the same: chains
    that differ in their modes make errors that the bridge's own do not tell. Annealed runs lag, and
    are no ladder.
    """
    claims = []
    for name in OTHERS:
        found = {f"{name} less {OURS}": measured(tables, name)}
        alone = {"by draws of ours alone": one_sided(tables, name)}
        text = f'The prior "{name}" has less evidence than the recommended one'
        if known(alone):
            by_ladder = {"by ladders": laddered(tables, name)}
            found |= alone | (by_ladder if known(by_ladder) else {})
            said = f"{says(found, 'nats')}; {_of_ways(tables, name, found)}"
            claims.append(Claim(text, rules.less_every_way(found), said, "less, every way"))
        else:
            claims += less_claim(text, found, "nats")
    for name, text in MEASURED.items():
        found = {"less that by a bridge": apart(tables, name)}
        if known(found):
            verdict = rules.about(found["less that by a bridge"], -SLOW, SLOW)
            said = f"{text} is that by a bridge, within {SLOW:g} nats"
            claims.append(Claim(said, verdict, says(found, "nats"), "about"))
    return claims


def _of_ways(tables: Tables, name: str, found: dict[str, Estimate]) -> str:
    """Say how far apart the ways are, and how many bridges are not sure of themselves."""
    values = [one.value for one in found.values()]
    return (
        f"of its sign alone, as the ways have {min(values):.3g} to {max(values):.3g} nats and "
        f"bridges cautions on {cautioned(tables, name)} data sets"
    )


def _of_bridges(tables: Tables) -> str:
    """Say how sure bridges are of themselves."""
    if "bridged" not in tables:
        return ""
    errors = tables["bridged"].groupby("prior", sort=False)[f"± {RATIO}"].median()
    each = [
        f'"{name}" {error:.2g}, with cautions on {cautioned(tables, str(name))}'
        for name, error in errors.items()
    ]
    begin = "Bridges on one data set have these standard errors in nats, median"
    end = (
        "Cautions are those of `samplers.evidence`, such as of chains that disagree; intervals are "
        "of the spread over data sets"
    )
    return f"{begin}: {'; '.join(each)}. {end}.\n"


def _of_annealed_runs(table: pd.DataFrame) -> list[Claim]:
    """Judge whether annealing was slow enough to integrate along it, and to predict by its ends."""
    apart = {f"{ANNEALED} less {LOGISTIC}": less_than(table, ANNEALED, LOGISTIC, "log score")}
    text = "Annealed runs of the report's network predict worse than the recommended sampler on it"
    claims = less_claim(text, apart, "nats")
    if "lag" not in table or not table["lag"].notna().any():
        return claims
    found = {"half of heated less cooled": mean_of(table["lag"].dropna())}
    text = "Runs that anneal the report's network lag by less than 2 nats"
    verdict = rules.about(found["half of heated less cooled"], -SLOW, SLOW)
    return [*claims, Claim(text, verdict, says(found, "nats"), "about")]


def larger(tables: Tables) -> str:
    """Conclude on priors with nineteen units, and on the report's by another sampler."""
    claims = []
    for way, text in SCORES.items():
        found = {"difference": difference(tables, way, "large", "log score")}
        more = medians(tables, way, "large", "log score") if way == "annealed" else ""
        claims += less_claim(text, found, "nats", more)
    text = "By the recommended sampler, the report's model has a larger excess: eight units"
    found = {"ours less the report's": chains_apart(tables, "small", "logistic")}
    pairs = {"annealed less recommended": ("annealed", "large")}
    more = of_failures(tables, pairs, "log score", "nats")
    return write([*claims, *less_claim(text, found)], more)
