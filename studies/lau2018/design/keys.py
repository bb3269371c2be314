"""Names of results."""

from .declarations import Experiment


def baseline_key(name: str, inputs: str) -> str:
    """Key of a baseline's result."""
    return f"baseline-{name.replace(' ', '_')}-{inputs}"


def fold_key(row: Experiment, fold: int, folds: int) -> str:
    """Key of a fold's result.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.design.candidates import candidates
    >>> from pymc_bnn.studies.lau2018.design.keys import fold_key
    >>> fold_key(candidates()[0], 2, 5)
    'fold-2-of-5-candidates-pixels-15-gentle'
    """
    return f"fold-{fold}-of-{folds}-{row.key}"


def limit_key(inputs: str) -> str:
    """Key of the scores of infinitely wide networks."""
    return f"limit-{inputs}"


def limit_errors_key(inputs: str) -> str:
    """Key of the errors of infinitely wide networks on digits that are not trained on."""
    return f"limit-errors-{inputs}"
