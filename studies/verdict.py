"""Conclusions of a comparison in words."""

import pandas as pd

CLEAR = 2.0  # standard errors of the difference from which one model is called better
NOTICEABLE = 4.0  # elpd differences below it are too small to matter (Sivula et al. 2025)


def state_verdict(table: pd.DataFrame) -> str:
    """Say which model predicts best and by how much, and whether to believe it.

    Parameters
    ----------
    table : DataFrame
        The table of a comparison, best model first.

    Returns
    -------
    str
        Two sentences.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.verdict import state_verdict
    >>> table = pd.DataFrame({"elpd_diff": [0.0, -20.0], "dse": [0.0, 4.0],
    ...                       "converged": [True, True], "bad_k": [0, 0]}, index=["a", "b"])
    >>> print(state_verdict(table))
    a predicts best: b is worse by 20.0 ± 4.0 in expected log predictive density, a clear difference. It can be believed: chains agree and leave-one-out is reliable for both.
    """  # noqa: E501
    return f"{_which(table)} {_believe(table)}"


def _which(table: pd.DataFrame) -> str:
    best = table.index[0]
    if len(table) == 1:
        return f"{best} is the only model, so there is nothing to compare it with."
    close = [name for name in table.index[1:] if not _clearly_worse(table.loc[name])]
    second = (close or table.index[1:])[0]
    margin = f"{-table.loc[second, 'elpd_diff']:.1f} ± {table.loc[second, 'dse']:.1f}"
    if not close:
        return (
            f"{best} predicts best: {second} is worse by {margin} in expected log predictive "
            "density, a clear difference."
        )
    if len(close) == len(table) - 1:
        return (
            f"{best} predicts best by its estimate, but no other model is clearly worse "
            f"({second} by {margin} in expected log predictive density)."
        )
    return (
        f"{best} predicts best by its estimate, with {_and(close)} too close to call ({second} is "
        f"worse by {margin} in expected log predictive density); the others are clearly worse."
    )


def _clearly_worse(row: pd.Series) -> bool:
    difference = -row["elpd_diff"]
    return bool(difference > NOTICEABLE and difference > CLEAR * row["dse"])


def _believe(table: pd.DataFrame) -> str:
    unconverged = list(table.index[~table["converged"].astype(bool)])
    unreliable = list(table.index[table["bad_k"] > 0])
    biased = list(table.index[table["biased"].astype(bool)]) if "biased" in table else []
    every = "both" if len(table) == 2 else "every model" if len(table) > 2 else "it"
    if not unconverged and not unreliable and not biased:
        return f"It can be believed: chains agree and leave-one-out is reliable for {every}."
    doubts = [_bias(name, table.loc[name]) for name in biased]
    if unconverged:
        doubts.append(f"the sampler has not converged for {_and(unconverged)}")
    if unreliable:
        whose = every if len(unreliable) == len(table) > 1 else _and(unreliable)
        doubts.append(f"leave-one-out is unreliable for some cases of {whose}")
    if table.index[0] in biased:
        return f"It cannot be believed before a run of an exact sampler: {' and '.join(doubts)}."
    if table.index[0] in unconverged:
        return f"It cannot be believed before a longer run: {' and '.join(doubts)}."
    return f"Believe it with care: {' and '.join(doubts)}."


def _bias(name: str, row: pd.Series) -> str:
    off, error = row["energy_bias"], row["energy_bias_mcse"]
    return (
        f"the draws of {name} are biased, without an accept test (their mean energy is off by "
        f"{off:+.1f} ± {error:.1f} nats)"
    )


def _and(names: list) -> str:
    texts = [str(name) for name in names]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def advise_on_pareto_k(bad: int, cases: int) -> str:
    """Say what follows from the number of cases with a large Pareto k.

    Parameters
    ----------
    bad : int
        Cases whose Pareto k says that importance sampling fails.
    cases : int
        All cases.

    Returns
    -------
    str

    Examples
    --------
    >>> from pymc_bnn.studies.verdict import advise_on_pareto_k
    >>> advise_on_pareto_k(0, 100)
    'leave-one-out is reliable'
    """
    if bad == 0:
        return "leave-one-out is reliable"
    if bad <= max(10, cases // 20):
        return f"{bad} of {cases} cases: use moment matching, then exact refits"
    return f"{bad} of {cases} cases: use K-fold cross-validation or the held-out scores"
