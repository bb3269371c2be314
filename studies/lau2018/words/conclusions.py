"""What the page says beside each table, from the numbers of its tables alone."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from ....samplers.diagnosis.findings import WORST_RHAT
from ...pages.kept_tables import Tables
from ...pages.sections import Picture, Section
from ...reproduction.claims import NO_RESULTS, Claim, write
from ...reproduction.estimates import CHANCE
from ...reproduction.verdicts import Verdict
from ..numbers import explanation
from ..rules.claims import BY_LIMITS
from . import agreed as agreeing
from . import algorithms, confirming
from . import limits as limiting
from . import thesis_words as words
from .gibbs_words import hyperparameter, what_failed
from .rates import rates, timed
from .stochastic_words import AS_PRINTED, NAME, heat, noise_as_printed, stochastic_gradients

CLAIMS: Mapping[str, Callable[[Tables], list[Claim]]] = {
    "committees": words.committees,
    "termination": words.termination,
    "hyperparameter": hyperparameter,
    "priors": words.priors,
    NAME: stochastic_gradients,
    AS_PRINTED: noise_as_printed,
    "scaled_priors": words.scaled_priors,
    "metrics": words.metrics,
    "layers": words.layers,
    "precision": words.precision,
    "trajectories": words.trajectories,
    "windows": algorithms.windows,
    "first_steps": algorithms.first_steps,
    "information_criterion": words.information_criterion,
    "drawn_classes": explanation.why,
    "confirmation": confirming.confirmation,
    "limits": limiting.limits,
    "agreed": agreeing.agreed,
}


def _rates(name: str) -> Callable[[Tables], str]:
    def text(tables: Tables) -> str:
        table = words.rows_of(tables, name)
        if table.empty:
            return ""
        return f"{rates(table, 'median ESS of outputs', MEDIAN)} {timed(tables)}".rstrip()

    return text


MEDIAN = "the median output"
BESIDES: Mapping[str, Callable[[Tables], str]] = {
    "termination": _rates("termination"),
    "trajectories": _rates("trajectories"),
    "first_steps": algorithms.why_given,
    "hyperparameter": what_failed,
    NAME: partial(heat, NAME),
    AS_PRINTED: partial(heat, AS_PRINTED),
    "drawn_classes": explanation.unexplained,
    "confirmation": confirming.chosen_anew,
    "limits": limiting.in_hindsight,
}


def conclude(name: str, tables: Tables) -> str:
    """Write the claims about a table, and what is to be said besides.

    Parameters
    ----------
    name : str
        From :data:`CLAIMS`.
    tables : mapping of str to DataFrame
        All tables of the page that are there.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.words.conclusions import conclude
    >>> conclude("layers", {})
    'No results to judge yet.'
    """
    besides = BESIDES.get(name, lambda _: "")
    return write(CLAIMS[name](tables), besides(tables))


def judged(
    title: str, text: str, name: str, plots: tuple[Picture, ...] = (), folded: bool = False
) -> Section:
    """Make a section of the page whose claims are those about its table.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.words.conclusions import judged
    >>> judged("Layers", "35 units in each.", "layers").table
    'layers'
    """
    words = partial(conclude, name)
    return Section(title, text, name, words, plots=plots, folded=folded)


def counted(tables: Tables) -> str:
    """Say how many claims stand, do not, and are undecided.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.words.conclusions import counted
    >>> counted({})
    ''
    """
    every = [claim for claims in CLAIMS.values() for claim in claims(tables)]
    if not every:
        return ""
    stand, fail, open_ = (sum(claim.verdict is kind for claim in every) for kind in Verdict)
    by_intervals = sum(claim.rule not in BY_LIMITS for claim in every)
    return (
        f"Of {len(every)} claims below {stand} stand, {fail} do not, and {open_} are undecided. "
        f"Each is judged by itself: of the {by_intervals} that intervals judge, up to about "
        f"{np.ceil(CHANCE * by_intervals):.0f} may stand or fail by chance."
    )


def misleading(table: pd.DataFrame) -> str:
    """Say how far diagnostics of single weights mislead, by the largest R-hat of each fit."""
    if table.empty:
        return NO_RESULTS
    shares, largest = (
        [f"{name}, {kind}" for kind in ("weights", "outputs")]
        for name in ("R-hat > 1.05", "max R-hat")
    )
    both = table[[*shares, *largest]].dropna()
    if both.empty:
        return NO_RESULTS
    weights, outputs = (both[name].mean() for name in shares)
    alarm, bad = (both[name] > WORST_RHAT for name in largest)
    text = (
        f"On average {weights:.0%} of the weights and {outputs:.0%} of the class probabilities "
        f"have an R-hat above {WORST_RHAT}. By the largest R-hat, of {len(both)} fits "
        f"{(alarm & ~bad).sum()} look unconverged by their weights and converged by what they "
        f"predict, and {(bad & ~alarm).sum()} the other way round."
    )
    if AS_PRINTED not in set(table["table"]):
        text += " Fits of the noise as printed are not among them."
    return text
