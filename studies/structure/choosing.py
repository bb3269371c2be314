"""Choose hidden layers: the simplest that predict held-out cases about as well as the best."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from ...models.likelihoods import Likelihood
from ...models.likelihoods import likelihood as find_likelihood
from ...samplers.diagnosis.rounding import beside
from ..scores.paired_scores import difference
from .pilots import (
    CANDIDATES,
    FEWEST_OF_CLASS,
    Pilot,
    as_cases,
    rows_to_split,
    run_pilots,
)

FEWEST_ROWS = 40  # a quarter of them are ten


@dataclass(frozen=True)
class Tried:
    """What a pilot of hidden layers gave.

    Parameters
    ----------
    hidden : tuple of int
        The layers.
    log_score : float
        Mean log score of held-out cases, in nats.
    behind : float
        By how much the best pilot is better.
    behind_se : float
        The standard error of that difference.
    seconds : float
        What the pilot took.
    """

    hidden: tuple[int, ...]
    log_score: float
    behind: float
    behind_se: float
    seconds: float


def table_of(rows: Sequence[dict[str, Any]], kind: type, index: str) -> pd.DataFrame:
    """Rows of what was tried, with the columns of its kind where nothing was.

    Examples
    --------
    >>> from pymc_bnn.studies.structure.choosing import Tried, table_of
    >>> list(table_of([], Tried, "hidden"))
    ['log_score', 'behind', 'behind_se', 'seconds', 'chosen']
    """
    columns = [*(field.name for field in fields(kind)), "chosen"]
    return pd.DataFrame(list(rows), columns=columns).set_index(index)


@dataclass(frozen=True)
class Structure:
    """Hidden layers that were chosen, and what was tried.

    Parameters
    ----------
    hidden : tuple of int
        Units of each hidden layer.
    tried : tuple of Tried
        All candidates, the simplest first; none if there were too few cases to try them.
    cases_scored : int
        Held-out cases that they were scored on.
    left_out : tuple of tuple of int
        Candidates that there was no time for.
    """

    hidden: tuple[int, ...]
    tried: tuple[Tried, ...]
    cases_scored: int
    left_out: tuple[tuple[int, ...], ...] = ()

    @property
    def seconds(self) -> float:
        """What all pilots took."""
        return sum(one.seconds for one in self.tried)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each candidate."""
        rows = [
            {**asdict(one), "hidden": named(one.hidden), "chosen": one.hidden == self.hidden}
            for one in self.tried
        ]
        return table_of(rows, Tried, "hidden")

    def words(self) -> str:
        """Say what was chosen and why.

        Examples
        --------
        >>> from pymc_bnn.studies.structure.choosing import Structure, Tried
        >>> tried = Tried((8,), -0.5, 0.0, 0.0, 1.0), Tried((16,), -0.7, 0.2, 0.1, 2.0)
        >>> print(Structure((8,), tried, 70).words())
        Hidden layers: 8, the best of 8, 16 in pilot runs scored on 70 of the training cases.
        """
        if not self.tried:
            return (
                f"Hidden layers: {named(self.hidden)}, as the training cases are too few to "
                f"choose by ({FEWEST_ROWS} are needed, without classes of fewer than "
                f"{FEWEST_OF_CLASS})."
            )
        names = _listed(one.hidden for one in self.tried)
        chosen = next(one for one in self.tried if one.hidden == self.hidden)
        how = f"of {names} in pilot runs scored on {self.cases_scored} of the training cases"
        said = f"Hidden layers: {named(self.hidden).replace(',', '-')}"
        late = f" There was no time to try {_listed(self.left_out)}." if self.left_out else ""
        if chosen.behind == 0:
            return f"{said}, the best {how}.{late}"
        best = next(one for one in self.tried if one.behind == 0)
        return (
            f"{said}, the simplest {how} that is at most one standard error behind the best, "
            f"{named(best.hidden).replace(',', '-')} ({beside(chosen.behind, 0.0, digits=3)} ± "
            f"{beside(chosen.behind_se, 0.0, digits=3)} nats per case).{late}"
        )


def _listed(candidates: Iterable[Sequence[int]]) -> str:
    return ", ".join(named(hidden).replace(",", "-") for hidden in candidates)


def named(hidden: Sequence[int]) -> str:
    """Hidden layers as the command line writes them.

    Examples
    --------
    >>> from pymc_bnn.studies.structure.choosing import named
    >>> named((16, 16)), named(())
    ('16,16', '0')
    """
    return ",".join(map(str, hidden)) or "0"


def choose_structure(
    X: Any, y: Any, likelihood: str | Likelihood, activation: str = "tanh", **options: Any
) -> Structure:
    """Choose hidden layers by pilot runs on training cases.

    The rule is that of one standard error (Breiman et al. 1984): the simplest candidate whose log
    score on held-out cases lies no more than one standard error of the paired difference behind
    the best. Small networks are quicker, and whether they mix better or worse depends on the table.

    Parameters
    ----------
    X : array or DataFrame, shape (cases, inputs)
        Training inputs, in the scale of the model.
    y : array or Series, shape (cases,) or (cases, outputs)
        Training targets, of the same cases in the same order.
    likelihood : str or Likelihood
        Of the targets.
    activation : str
        Of the hidden units.
    **options
        More arguments of :func:`.pilots.run_pilots`.

    Returns
    -------
    Structure
        The simplest candidate, untried, for fewer than 40 cases, without those of classes that
        have fewer than four.

    Raises
    ------
    ValueError
        If X and y do not fit the likelihood or each other.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from pymc_bnn import studies
    >>> X = pd.DataFrame({"x": np.linspace(-1, 1, 40)})
    >>> noise = 0.3 * np.random.default_rng(1).normal(size=40)
    >>> found = studies.choose_structure(X, X["x"] + noise, "gaussian_noise",
    ...                                  candidates=[(2,), (4,)], cores=1)
    >>> [one.hidden for one in found.tried]
    [(2,), (4,)]
    """
    as_cases(X, y, find_likelihood(likelihood))  # refuses what too few rows would not meet
    if rows_to_split(y, likelihood) < FEWEST_ROWS:
        return Structure(tuple(options.get("candidates", CANDIDATES)[0]), (), 0)
    pilots = run_pilots(X, y, likelihood, activation, **options)
    candidates = tuple(map(tuple, options.get("candidates", CANDIDATES)))
    return replace(choose(pilots), left_out=candidates[len(pilots) :])


def choose(pilots: Sequence[Pilot]) -> Structure:
    """Apply the rule of one standard error to pilots, the simplest first."""
    tried = tuple(
        Tried(pilot.hidden, *standing, pilot.seconds)
        for pilot, standing in zip(pilots, standings(pilots), strict=True)
    )
    chosen = next(one for one in tried if one.behind <= one.behind_se)
    return Structure(chosen.hidden, tried, len(pilots[0].log_score))


def standings(pilots: Sequence[Pilot]) -> list[tuple[float, float, float]]:
    """Mean log score of each pilot, how far it is behind the best, and that one's standard error.

    One with a score that is not finite lies infinitely far behind.
    """
    finite = [bool(np.isfinite(pilot.log_score).all()) for pilot in pilots]
    means = [
        pilot.log_score.mean() if good else -np.inf
        for pilot, good in zip(pilots, finite, strict=True)
    ]
    best = pilots[int(np.argmax(means))]
    found = []
    for pilot, mean, good in zip(pilots, means, finite, strict=True):
        behind, se = np.inf, 0.0
        if pilot is best:
            behind = 0.0
        elif good:
            gap = difference(best.log_score, pilot.log_score)
            behind, se = gap.mean, gap.se
        found.append((float(mean), float(behind), float(se)))
    return found
