"""What the page says beside each table, from the numbers of its tables alone."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from ...pages.kept_tables import Tables
from ...pages.sections import Picture, Section
from ...reproduction.claims import NO_RESULTS, Claim, write
from ..numbers import explanation
from . import agreed as agreeing
from . import confirming
from . import thesis_words as words
from .gibbs_words import hyperparameter, what_failed
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
    "information_criterion": words.information_criterion,
    "drawn_classes": explanation.why,
    "confirmation": confirming.confirmation,
    "agreed": agreeing.agreed,
}


def _rates(name: str) -> Callable[[Tables], str]:
    def text(tables: Tables) -> str:
        table = words.rows_of(tables, name)
        return "" if table.empty else words.rates(table, "median ESS of outputs", MEDIAN)

    return text


MEDIAN = "the median output"
BESIDES: Mapping[str, Callable[[Tables], str]] = {
    "termination": _rates("termination"),
    "trajectories": _rates("trajectories"),
    "hyperparameter": what_failed,
    NAME: partial(heat, NAME),
    AS_PRINTED: partial(heat, AS_PRINTED),
    "drawn_classes": explanation.unexplained,
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
    verdicts = [claim.verdict for claims in CLAIMS.values() for claim in claims(tables)]
    if not verdicts:
        return ""
    count = {str(kind): sum(verdict == kind for verdict in verdicts) for kind in set(verdicts)}
    return (
        f"Of {len(verdicts)} claims below {count.get('Stands', 0)} stand, "
        f"{count.get('Does not stand', 0)} do not, and {count.get('Undecided', 0)} are undecided."
    )


def misleading(table: pd.DataFrame) -> str:
    """Say how far diagnostics of single weights mislead."""
    if table.empty:
        return NO_RESULTS
    both = table[["R-hat > 1.05, weights", "R-hat > 1.05, outputs"]].dropna()
    if both.empty:
        return NO_RESULTS
    weights, outputs = (both[name].to_numpy() for name in both)
    alarm = int(((weights > 0.05) & (outputs <= 0.05)).sum())
    missed = int(((weights <= 0.05) & (outputs > 0.05)).sum())
    return (
        f"On average {np.mean(weights):.0%} of the weights and {np.mean(outputs):.0%} of the class "
        f"probabilities have an R-hat above 1.05. Of {len(both)} fits {alarm} look unconverged by "
        f"their weights and converged by what they predict, and {missed} the other way round."
    )
