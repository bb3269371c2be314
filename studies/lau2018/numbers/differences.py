"""Differences of test errors that claims of the thesis are about."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from ...reproduction.estimates import Estimate, summed
from ..design.declarations import Experiment
from ..design.digits import CASES
from ..design.experiments import THESIS
from ..design.pairs import BESIDE, EXACT, NETWORK, pairs
from ..design.published import printed
from ..runs.scores import score_error
from ..runs.stages import COMMITTEE_INPUTS
from .estimates import Compared
from .results import Results, observed
from .tables import PERCENT

COLUMNS = (
    "error % differs by",
    "± of it",
    "degrees of freedom",
    "paired",
    "thesis's difference",
    "± of thesis's",
)
# the network that sees what a committee sees
LIKE_COMMITTEE = {"raw": "priors-normal", "unit": "factors-unit-unit-plain"}


def difference(first: xr.Dataset, second: xr.Dataset) -> Estimate:
    """Difference of two test errors, on the same cases, in percent.

    The error adds those of the chains to that of the cases, on which the two are paired.

    Parameters
    ----------
    first, second : Dataset
        Results with ``probability`` by chain.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray as xr
    >>> from pymc_bnn.studies.lau2018.numbers.differences import difference
    >>> cells = ("chain", "case", "class")
    >>> one = xr.Dataset({"probability": (cells, np.full((2, 500, 10), 0.1))})
    >>> difference(one, one).value, difference(one, one).error
    (0.0, 0.0)
    """
    return paired_difference(first["probability"].values, second["probability"].values, observed())


def paired_difference(first: np.ndarray, second: np.ndarray, truth: np.ndarray) -> Estimate:
    """Difference of two test errors on the same cases in percent, by :func:`difference`.

    Parameters
    ----------
    first, second : ndarray, shape (chains, cases, classes)
        Mean class probabilities of each chain.
    truth : ndarray of int, shape (cases,)
        What the cases are.
    """
    (one, variance), (other, more) = _wrong(first, truth), _wrong(second, truth)
    return _by_case(one - other, [variance, more])


def _wrong(probability: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, tuple[float, float]]:
    """Which cases a network errs on; the variance from its chains, with its freedom."""
    if not np.isfinite(probability).all():
        return np.full(len(truth), np.nan), (np.nan, 1.0)
    wrong = probability.mean(axis=0).argmax(axis=1) != truth
    spread = score_error(probability, truth).monte_carlo
    return wrong.astype(float), (spread**2, len(probability) - 1.0)


def _by_case(gap: np.ndarray, variances: list[tuple[float, float]]) -> Estimate:
    cases = (gap.var(ddof=1) / len(gap), len(gap) - 1.0)
    parts = [(PERCENT**2 * variance, freedom) for variance, freedom in (cases, *variances)]
    return summed(PERCENT * float(gap.mean()), parts, paired=True)


def unpaired(
    first: float, second: float, variances: tuple[tuple[float, float], ...] = ()
) -> Estimate:
    """Difference of two test errors in percent of which single cases are not known.

    Parameters
    ----------
    first, second : float
        The errors, each counted on 500 cases.
    variances : tuple of (variance, degrees of freedom)
        What comes on top of that of the cases, such as that of chains.

    Examples
    --------
    >>> from pymc_bnn.studies.lau2018.numbers.differences import unpaired
    >>> round(unpaired(50.0, 50.0).error, 2)
    3.16
    """
    cases = [(one * (PERCENT - one) / CASES, CASES - 1.0) for one in (first, second)]
    return summed(first - second, [*cases, *variances], paired=False)


def differences(results: Results) -> pd.DataFrame:
    """All differences that are judged, ours beside the thesis's.

    Those of the thesis have the standard error that 500 cases give: it does not say which cases
    were wrong.
    """
    rows = [row for name in THESIS for row in _of_table(results, name)]
    return pd.DataFrame([*rows, *_of_committees(results)])


def _of_table(results: Results, name: str) -> list[dict[str, object]]:
    there = results.table(name)
    fits = {row.row: fit for row, fit in there}
    errors = {row.row: _printed_error(name, row) for row, _ in there}
    if BESIDE.get(name) == EXACT:
        exact = results.load("priors-normal")
        if exact is None:
            return []
        fits[EXACT], errors[EXACT] = exact, _printed_normal()
    return [
        _row(name, pair, difference(fits[pair[0]], fits[pair[1]]), errors)
        for pair in pairs(name, list(fits))
    ]


def _of_committees(results: Results) -> list[dict[str, object]]:
    rows = []
    for inputs in COMMITTEE_INPUTS:
        committee, network = results.load(f"committee-{inputs}"), LIKE_COMMITTEE[inputs]
        fit = results.load(network)
        if committee is None or fit is None:
            continue
        for size in committee["size"].values:
            one = committee.sel(size=size)
            name = f"{inputs}-{size}"
            errors = {name: float(printed("committees", members=size)["test_error"])}
            errors[NETWORK] = float(printed("committees", method="network")["test_error"])
            ours = against_committee(one, fit)
            rows.append(_row("committees", (name, NETWORK), ours, errors))
    return rows


def against_committee(committee: xr.Dataset, fit: xr.Dataset) -> Estimate:
    """Test error of committees less that of a network, in percent.

    Paired by case where the result says how many committees err on each; older ones do not.
    """
    wrong, chains = _wrong(fit["probability"].values, observed())
    count = max(float(committee["committees"]) - 1.0, 1.0) if "committees" in committee else 1.0
    among = (float(committee["monte_carlo"]) ** 2, count)
    if "wrong" in committee:
        return _by_case(committee["wrong"].values - wrong, [among, chains])
    parts = tuple((PERCENT**2 * variance, freedom) for variance, freedom in (among, chains))
    errors = PERCENT * float(committee["test_error"]), PERCENT * float(wrong.mean())
    return unpaired(*errors, parts)


def _printed_error(name: str, row: Experiment) -> float:
    return float(printed(name, **row.at)["test_error"]) if row.at else np.nan


def _printed_normal() -> float:
    return float(printed("priors", prior="normal")["test_error"])


def _row(
    table: str, pair: tuple[str, str], ours: Estimate, errors: Mapping[str, float]
) -> dict[str, object]:
    theirs = unpaired(errors[pair[0]], errors[pair[1]])
    known = np.isfinite(theirs.value)
    values = (
        ours.value,
        ours.error,
        ours.freedom,
        "yes" if ours.paired else "no",
        theirs.value if known else np.nan,
        theirs.error if known else np.nan,
    )
    return {
        "table": table,
        "row": pair[0],
        "against": pair[1],
        **dict(zip(COLUMNS, values, strict=True)),
    }


def compared(table: pd.DataFrame, name: str, row: str, against: str) -> Compared | None:
    """Look a difference up in the table of :func:`differences`, in either direction."""
    if table.empty:
        return None
    for first, second in ((row, against), (against, row)):
        same = (table["table"] == name) & (table["row"] == first) & (table["against"] == second)
        if same.any():
            found = _read(table[same].iloc[0])
            return found if first == row else found.turned()
    return None


def _read(row: pd.Series) -> Compared:
    value, error, freedom, paired, theirs, their_error = (row[name] for name in COLUMNS)
    ours = Estimate(float(value), float(error), float(freedom), paired == "yes")
    if not np.isfinite(theirs):
        return Compared(ours)
    return Compared(ours, Estimate(float(theirs), float(their_error), paired=False))
