"""Choose a likelihood: the simplest that predicts held-out cases about as well as the best."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from ...models.likelihoods import Likelihood
from ...samplers.diagnosis.rounding import beside
from ..fits.manifest import written_whole
from ..fits.settings import Settings
from ..tables.table import Prepared
from ..tables.target_likelihood import likelihoods_for
from .choosing import FEWEST_ROWS, standings, table_of
from .pilots import Pilot, rows_to_split, run_pilots, time_for_another

NAME = "likelihood.json"


@dataclass(frozen=True)
class TriedLikelihood:
    """What a pilot of a likelihood gave.

    Parameters
    ----------
    name : str
        The likelihood.
    log_score : float
        Mean log score of held-out cases, in nats.
    behind, behind_se : float
        By how much the best pilot is better, and the standard error of that difference.
    seconds : float
        What the pilot took.
    """

    name: str
    log_score: float
    behind: float
    behind_se: float
    seconds: float


@dataclass(frozen=True)
class ChosenLikelihood:
    """A likelihood that was chosen, and what was tried.

    Parameters
    ----------
    name : str
        The likelihood.
    tried : tuple of TriedLikelihood
        All candidates, the simplest first; none if there was nothing to choose, or too few cases.
    cases_scored : int
        Held-out cases that they were scored on.
    left_out : tuple of str
        Candidates that there was no time for.
    errors : float
        By how many standard errors a candidate may be behind the best, and be taken as the first.
    """

    name: str
    tried: tuple[TriedLikelihood, ...]
    cases_scored: int
    left_out: tuple[str, ...] = ()
    errors: float = 1.0

    @property
    def table(self) -> pd.DataFrame:
        """A row for each candidate."""
        rows = [{**asdict(one), "chosen": one.name == self.name} for one in self.tried]
        return table_of(rows, TriedLikelihood, "name")

    def words(self) -> str:
        """Say what was chosen and why.

        Examples
        --------
        >>> from pymc_bnn.studies.structure.likelihoods import ChosenLikelihood, TriedLikelihood
        >>> tried = (TriedLikelihood("poisson", -2.5, 0.2, 0.1, 1.0),
        ...          TriedLikelihood("negative_binomial", -2.3, 0.0, 0.0, 2.0))
        >>> print(ChosenLikelihood("negative_binomial", tried, 70).words())
        Likelihood: negative_binomial, the best of poisson, negative_binomial in pilot runs scored on 70 of the training cases.
        """  # noqa: E501
        said = f"Likelihood: {self.name}"
        if not self.tried:
            return (
                f"{said}, the only one for such targets, or training cases are too few to choose."
            )
        names = ", ".join(one.name for one in self.tried)
        how = f"of {names} in pilot runs scored on {self.cases_scored} of the training cases"
        late = f" There was no time to try {', '.join(self.left_out)}." if self.left_out else ""
        chosen = next(one for one in self.tried if one.name == self.name)
        if chosen.behind == 0:
            return f"{said}, the best {how}.{late}"
        best = next(one for one in self.tried if one.behind == 0)
        far = "one standard error" if self.errors == 1 else f"{self.errors:g} standard errors"
        return (
            f"{said}, the first {how} that is at most {far} behind the best, "
            f"{best.name} ({beside(chosen.behind, 0.0, digits=3)} ± "
            f"{beside(chosen.behind_se, 0.0, digits=3)} nats per case).{late}"
        )


def choose_likelihood(
    X: pd.DataFrame,
    y: Any,
    likelihoods: Mapping[str, Likelihood],
    hidden: tuple[int, ...],
    activation: str = "tanh",
    *,
    most_seconds: float = math.inf,
    errors: float = 1.0,
    known: Mapping[str, Sequence[Pilot]] = MappingProxyType({}),
    finished: Callable[[str, Pilot], None] = lambda name, pilot: None,
    **options: Any,
) -> ChosenLikelihood:
    """Choose a likelihood by pilot runs on training cases.

    The pilots and the rule are those of :func:`.choosing.choose_structure`: the simplest candidate
    whose log score on held-out cases lies no more than one standard error of the paired difference
    behind the best.

    Parameters
    ----------
    X : DataFrame, shape (cases, inputs)
        Training inputs, in the scale of the model.
    y : array, shape (cases,) or (cases, outputs)
        Training targets.
    likelihoods : mapping of str to Likelihood
        The candidates, the simplest first.
    hidden : tuple of int
        Units of each hidden layer.
    activation : str
        Of the hidden units.
    most_seconds : float
        Seconds for all pilots but known ones, as for :func:`.pilots.run_pilots`.
    errors : float
        By how many standard errors a candidate may be behind the best, and be taken as the first.
    known : mapping of str to sequence of Pilot
        Pilots of candidates that were run before, of these and other hidden layers, with the same
        of all else.
    finished : callable, optional
        Called with the name and the pilot of each candidate.
    **options
        More arguments of :func:`.pilots.run_pilots`.

    Returns
    -------
    ChosenLikelihood
        The first one, untried, for fewer than 40 cases, without those of classes that have fewer
        than four, or for a single candidate.
    """
    rows = min(rows_to_split(y, one) for one in likelihoods.values())
    if rows < FEWEST_ROWS or len(likelihoods) < 2:
        return ChosenLikelihood(next(iter(likelihoods)), (), 0)
    pilots: list[Pilot] = []
    for name, likelihood in likelihoods.items():
        before = next((one for one in known.get(name, ()) if one.hidden == hidden), None)
        if before is not None:
            pilots.append(before)
            most_seconds += before.seconds  # which are not spent here
            finished(name, before)
            continue
        if not time_for_another(pilots, most_seconds):
            break
        options["finished"] = lambda pilot, name=name: finished(name, pilot)
        pilots += run_pilots(X, y, likelihood, activation, candidates=[hidden], **options)
    tried = tuple(
        TriedLikelihood(name, *standing, pilot.seconds)
        for name, standing, pilot in zip(likelihoods, standings(pilots), pilots, strict=False)
    )
    chosen = next(one for one in tried if one.behind <= errors * one.behind_se)
    left_out = tuple(likelihoods)[len(pilots) :]
    return ChosenLikelihood(chosen.name, tried, len(pilots[0].log_score), left_out, errors)


def find_likelihood_by_pilots(
    folder: Path,
    prepared: Prepared,
    settings: Settings,
    finished: Callable[[str, Pilot], None],
    most_seconds: float = math.inf,
    known: Mapping[str, Sequence[Pilot]] = MappingProxyType({}),
) -> ChosenLikelihood:
    """Choose a likelihood for a table, or load what was chosen by the same pilots.

    Parameters
    ----------
    folder : Path
        Where the fits are.
    prepared : Prepared
        The table.
    settings : Settings
        Hidden layers, activation, seed and processes.
    finished : callable
        Called with the name and the pilot of each candidate, unless the choice is loaded.
    most_seconds : float
        Seconds for all pilots but known ones.
    known : mapping of str to sequence of Pilot
        Pilots of candidates that were run before, of these and other hidden layers, with the same
        of all else.

    Returns
    -------
    ChosenLikelihood

    Raises
    ------
    StorageError
        If the disk is full, or closed to writing.
    """
    path = folder / NAME
    key: dict[str, Any] = {"cases": prepared.digest, "hidden": list(settings.hidden)}
    key |= {"activation": settings.activation, "seed": settings.seed, "minutes": settings.minutes}
    kept = _read(path, key)
    if kept is not None:
        return kept
    chosen = choose_likelihood(
        prepared.X,
        prepared.y,
        likelihoods_for(prepared),
        settings.hidden,
        settings.activation,
        seed=settings.seed,
        cores=settings.cores,
        most_seconds=most_seconds,
        known=known,
        finished=finished,
    )
    with written_whole(path) as partial:
        partial.write_text(json.dumps({**key, **asdict(chosen)}, indent=1) + "\n", "utf-8")
    return chosen


def _read(path: Path, key: dict[str, object]) -> ChosenLikelihood | None:
    """What a file holds, if it was written for the same; pilots are soon run again."""
    try:
        record = json.loads(path.read_text("utf-8"))
        if any(record[name] != value for name, value in key.items()):
            return None
        tried = tuple(TriedLikelihood(**one) for one in record["tried"])
        left_out = tuple(record["left_out"])
        return ChosenLikelihood(record["name"], tried, record["cases_scored"], left_out)
    except (OSError, ValueError, KeyError, TypeError):
        return None
