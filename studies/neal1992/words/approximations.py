"""What the page says of normal approximations."""

import numpy as np

from ...pages.kept_tables import Tables
from ...reproduction.claims import Claim, write
from ...reproduction.estimates import Estimate
from ...reproduction.rates import mean_of
from ...reproduction.rules import known, says
from ..design.printed import MACKAY, MACKAY_CHOSEN
from ..design.priors import OURS
from ..numbers.approximated import GAUSSIAN, OF_BOUNDS, OF_JOINT_MODES
from ..numbers.derived import of_ways
from ..numbers.rates import predicted
from ..runs.approximations.joint_modes import DRAWN, LINEAR, MACKAYS, STILL
from . import judgements as rules
from .annealed import medians, of_failures
from .bounds import converged
from .experiment_2 import BEYOND, beyond, difference, less_claim

NAMES = {
    GAUSSIAN: "The Gaussian approximation",
    "mean field": "The variational mean field, where its ascents end,",
    "full rank": "The variational approximation of full rank, where its ascents end,",
    LINEAR: "Laplace's approximation at joint modes",
}
DRAWS = {  # what draws of a normal distribution lose against outputs linear in the weights
    DRAWN: (LINEAR, "Networks drawn from Laplace's approximation"),
    MACKAYS: (GAUSSIAN, "So do networks drawn from the Gaussian one"),
}
SLOPE, INPUTS = OF_JOINT_MODES["slope"], OF_JOINT_MODES["inputs"]
NEAR = 2.0  # nats of evidence


def conclude(tables: Tables) -> str:
    """Conclude on what normal approximations lose."""
    claims = [*_of_mackay(tables), *_beside_sampling(tables)]
    there = [name for name in NAMES if name in of_ways(tables)]
    for name in there:
        ended = converged(tables.get("approximations"), name, OF_BOUNDS["converged"])
        excess = {"ours less its": -difference(tables, name, "large", "excess")}
        text = f"{NAMES[name]} has a larger excess than sampling"
        claims += less_claim(text, excess, more=ended)
        score = {"its less ours": difference(tables, name, "large", "log score")}
        claims += less_claim(f"{NAMES[name]} has a lower log score", score, "nats", ended)
        covered = {"its less ours": difference(tables, name, "large", "covered outside")}
        text = f"{NAMES[name]} has the truth in its intervals less often off the data"
        claims += less_claim(text, covered, more=ended)
    pairs = {"Gaussian approximation less annealed": (GAUSSIAN, "annealed")}
    evidence = [
        *_evidence(tables, GAUSSIAN, "With eight units its log evidence is that of sampling"),
        *_evidence(tables, LINEAR, "With eight units that of Laplace's approximation is so too"),
    ]
    said = of_failures(tables, pairs, "excess"), _of_searches(tables)
    together = [*claims, *_of_draws(tables), *evidence]
    return write(together, "\n".join(text for text in said if text))


def _of_draws(tables: Tables) -> list[Claim]:
    """Judge whether networks with drawn weights predict worse than outputs linear in them."""
    found, claims = of_ways(tables), []
    for name, (linear, text) in DRAWS.items():
        if {name, linear} <= set(found):
            ratio = np.log10(found[linear]["excess"] / found[name]["excess"]).dropna()
            fewer = {"linear by drawn": mean_of(ratio)}
            whole = f"{text} have a larger excess" if name == DRAWN else text
            claims += less_claim(whole, fewer, "powers of ten")
    return claims


def _of_searches(tables: Tables) -> str:
    """Say where searches for joint modes ended."""
    if "approximations" not in tables:
        return ""
    table = tables["approximations"]
    ended, still = (table[table["method"] == name] for name in (LINEAR, STILL))
    if ended.empty or still.empty:
        return ""
    kept = int((still[INPUTS] == 0).sum())
    return (
        f"Searches for joint modes ended where no slope is above {ended[SLOPE].max():.2g}. From "
        "the model's initial point, where all weights are zero, `fit_laplace` left those of the "
        f"inputs at zero on {kept} of {len(still)} data sets, and has an excess of "
        f"{still['excess'].median():.3g} in the median.\n"
    )


def _of_mackay(tables: Tables) -> list[Claim]:
    """Judge the errors that MacKay had, on one data set, by those over ours."""
    found = of_ways(tables)
    if GAUSSIAN not in found:
        return []
    chosen = predicted(found[GAUSSIAN]["test error"])
    text = f"The approximation of most evidence has a test error of {MACKAY_CHOSEN:.0f}"
    judged = {text: (MACKAY_CHOSEN, chosen)}
    if "modes" in tables:
        least = predicted(tables["modes"].groupby("data set")["test error"].min())
        judged[f"The best of its starts has {min(MACKAY):.0f}"] = (min(MACKAY), least)
    return [
        Claim(
            text,
            rules.in_the_spread(printed, one),
            says({"one more data set": one}),
            "in the spread",
        )
        for text, (printed, one) in judged.items()
    ]


def _beside_sampling(tables: Tables) -> list[Claim]:
    """Judge whether both methods of the report's comparison are as good."""
    found = {"difference of excess": difference(tables, GAUSSIAN, "annealed", "excess")}
    if not known(found):
        return []
    judged = {BEYOND: beyond(tables, GAUSSIAN, "annealed")}
    verdict = rules.no_worse(judged[BEYOND])
    text = "The Gaussian approximation predicts as well as the annealed runs"
    shown = f"{says(found)}; {says(judged)}; {medians(tables, GAUSSIAN, 'annealed', 'excess')}"
    return [Claim(text, verdict, shown, "no worse")]


def _evidence(tables: Tables, method: str, text: str) -> list[Claim]:
    """Judge an approximation's evidence by that of replica exchange."""
    one = evidence_missed(tables, method)
    found = {"its less that of sampling": one}
    if not known(found) or not np.isfinite(one.error):
        return []
    return [
        Claim(f"{text}, within 2 nats", rules.about(one, -NEAR, NEAR), says(found, "nats"), "about")
    ]


def evidence_missed(tables: Tables, method: str = GAUSSIAN) -> Estimate:
    """Log evidence of an approximation less that of sampling, over data sets with both."""
    column = "log evidence, eight units"
    if not {"approximations", "priors"} <= set(tables) or column not in tables["approximations"]:
        return Estimate(np.nan, np.inf)
    approximations, priors = tables["approximations"], tables["priors"]
    its = approximations[approximations["method"] == method].set_index("data set")[column]
    ours = priors[priors["prior"] == OURS].set_index("data set")["log evidence"]
    return mean_of((its - ours).dropna())
