"""Which likelihoods suit a target."""

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from ...models.data.choices import choose
from ...models.likelihoods import LIKELIHOODS, Likelihood
from ..errors import InputError
from .table import Prepared

AUTO = "auto"  # the likelihood by pilot runs
LEAST_ORDERED, MOST_ORDERED = 3, 7  # classes: two have no order, and more numbers are seldom grades


def named_likelihood(name: str) -> str:
    """Full name of a likelihood, or ``"auto"``.

    Examples
    --------
    >>> from pymc_bnn.studies.tables.target_likelihood import named_likelihood
    >>> named_likelihood("student_t"), named_likelihood("auto")
    ('student_t_noise', 'auto')
    """
    if name == AUTO:
        return AUTO
    full = f"{name}_noise" if f"{name}_noise" in LIKELIHOODS else name
    return choose("likelihood", full, (*LIKELIHOODS, AUTO))


def task_of(name: str) -> str:
    """The task that a likelihood is for.

    Examples
    --------
    >>> from pymc_bnn.studies.tables.target_likelihood import task_of
    >>> task_of("poisson")
    'counts'
    """
    kind = LIKELIHOODS[name]
    return "classification" if kind.classifies else "counts" if kind.counts else "regression"


def names_for(task: str) -> list[str]:
    """Full names of the likelihoods for a task, the simplest first.

    Examples
    --------
    >>> from pymc_bnn.studies.tables.target_likelihood import names_for
    >>> names_for("counts")
    ['poisson', 'negative_binomial']
    """
    return [name for name in LIKELIHOODS if task_of(name) == task]


def task_for(name: str | None, task: str | None) -> str | None:
    """The task of a table, as a user said it or as the likelihood that a user named needs it.

    Raises
    ------
    InputError
        If both are given and contradict each other.
    """
    if name in (None, AUTO):
        return task
    needed = task_of(str(name))
    if task not in (None, needed):
        raise InputError(
            f"--likelihood {name} is for --task {needed}, not for {task}; leave one of both out."
        )
    return needed


def likelihood_for(prepared: Prepared, name: str | None = None) -> Likelihood:
    """A likelihood with settings that suit a table.

    Parameters
    ----------
    prepared : Prepared
        The table.
    name : str, optional
        Full name of the likelihood; by default the usual one for the task.

    Returns
    -------
    Likelihood
        The default settings; counts are around their mean over the training cases.

    Raises
    ------
    InputError
        If it is for another task, or counts are all 0 in the training cases.
    """
    name = name or prepared.likelihood
    if task_of(name) != prepared.encoding.task:
        raise InputError(
            f"--likelihood {name} is for --task {task_of(name)}, and this is "
            f"{prepared.encoding.task} of {prepared.encoding.target!r}."
        )
    kind = LIKELIHOODS[name]
    if kind.counts and not np.any(prepared.y):
        raise InputError(
            f"the counts of {prepared.encoding.target!r} are all 0 in the {len(prepared.y)} "
            "training rows, which say nothing about other counts; give more rows, or split "
            "them by another --seed."
        )
    return kind.suiting(prepared.y)


def likelihoods_for(prepared: Prepared) -> dict[str, Likelihood]:
    """Likelihoods that suit a table, the simplest first; for classes the usual one.

    Classes that may have an order are tried with it too: it holds only if scores say so.
    """
    names = names_for(prepared.encoding.task)
    if prepared.encoding.task == "classification":
        names = [prepared.likelihood, *["ordered"] * _may_have_order(pd.Series(prepared.y))]
    return {name: likelihood_for(prepared, name) for name in names}


def _may_have_order(classes: pd.Series) -> bool:
    """Whether classes are categories with an order, or as few numbers as grades."""
    known = classes.nunique()
    if known < LEAST_ORDERED:
        return False
    if isinstance(classes.dtype, pd.CategoricalDtype):
        return bool(classes.dtype.ordered)
    return is_numeric_dtype(classes) and known <= MOST_ORDERED
