"""What the page says of priors."""

import pandas as pd

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ...reproduction.verdicts import Verdict
from ..design.priors import ANNEALED, LOGISTIC, OURS, PRIORS
from ..numbers.beside import by_prior, less_than
from . import judgements as rules
from .annealed import medians, of_failures
from .experiment_2 import chains_apart, difference, less_claim

SLOW = 2.0  # nats
SCORES = {
    "annealed": "The log score of the report's model, annealed, is below the recommended one's",
    "gaussian": "That of a normal prior of a fixed scale is below it",
}


def conclude(tables: Tables) -> str:
    """Conclude on the evidence and the scores of priors with eight units."""
    table, claims = by_prior(tables), []
    for what, text, own in (
        ("log evidence", "has less evidence than", ANNEALED),
        ("log score", "predicts test cases worse than", LOGISTIC),
    ):
        for name in [name for name in (*PRIORS, LOGISTIC) if name != OURS]:
            row = own if name == LOGISTIC else name
            found = {f"{row} less {OURS}": less_than(table, row, OURS, what)}
            if known(found):
                judged = rules.less(found)
                if what == "log evidence" and _may_be_lag(table, row, found):
                    judged = Verdict.UNDECIDED
                said = f'The prior "{name}" {text} the recommended one'
                claims.append(Claim(said, judged, says(found, "nats"), "less"))
    return write([*claims, *_of_annealed_runs(table)])


def _may_be_lag(table: pd.DataFrame, name: str, found: dict[str, Estimate]) -> bool:
    """Whether a difference is no more than cooled and heated runs lag behind their temperature."""
    lags = table.loc[table["prior"] == name, "lag"].dropna() if "lag" in table else pd.Series()
    return bool(lags.size) and all(abs(one.value) < lags.abs().mean() for one in found.values())


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
