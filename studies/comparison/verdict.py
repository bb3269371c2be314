"""Conclusions of a comparison in words, by rules that can also say no and undecided.

1. A model whose draws must not be used (an error of :func:`~pymc_bnn.samplers.diagnose`, a bias,
   scores that are not finite) neither wins nor loses. The answer, which is said first, tells how
   many models it is about; why not of the others, and what to do, comes next.
2. With fewer than 100 cases the standard error of a difference is not calibrated (Sivula et al.
   2025): leave-one-out decides nothing. Nor does it for a leader for some of whose cases it
   fails, as such cases flatter a model; a model behind, which they flatter too, loses all the same.
3. A model is clearly worse than the leader if it lies more than 4 nats behind, and by more standard
   errors than choosing the best of several explains (:func:`.paired_scores.critical`), Monte
   Carlo error included.
4. Held-out cases agree if their paired difference is clear and of the same sign, Monte Carlo error
   included. They contradict if it is of the other sign, by more than the errors of both explain;
   then the two models are undecided. If it is clear and of the other sign, but leave-one-out's
   error is too large for that, they say which is better, and the answer does not change.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...samplers.diagnosis.findings import Finding
from ..chains.convergence import of_mixing
from ..chains.halves import half_in_words
from .outcome import LEAST_CASES, Outcome, Standing, listed_in_words

__all__ = ["Standing", "Verdict", "advise_on_pareto_k", "state_verdict"]


@dataclass(frozen=True)
class Verdict:
    """What a comparison says.

    Parameters
    ----------
    sentences : tuple of str
        The answer first, then what cannot be judged.
    best : str or None
        The model that is clearly best, if there is one.
    leader : str or None
        The model in front, clearly or not, if two or more can be judged.
    worse : tuple of str
        Models that are clearly worse than that one.
    judged : frozenset of str
        Models that can be judged, if two or more can.
    """

    sentences: tuple[str, ...]
    best: str | None = None
    leader: str | None = None
    worse: tuple[str, ...] = ()
    judged: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return " ".join(self.sentences)


def state_verdict(standings: Sequence[Standing]) -> Verdict:
    """Say which model predicts best and by how much, as far as that can be judged.

    Parameters
    ----------
    standings : sequence of Standing
        The models.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn.studies.comparison.verdict import Standing, state_verdict
    >>> scores = np.random.default_rng(1).normal(size=200)
    >>> worse = scores - np.random.default_rng(2).normal(0.2, 0.3, size=200)
    >>> verdict = state_verdict([Standing("a", scores, mcse=0.1), Standing("b", worse, mcse=0.1)])
    >>> print(verdict.sentences[0])
    a predicts best: b is worse by 39.5 ± 4.1 in expected log predictive density, a clear difference.
    """  # noqa: E501
    obstacles = _obstacles(standings)
    judged = [s for s in standings if s.obstacle is None]
    judged.sort(key=lambda s: -s.elpd.sum())
    doubts = [*obstacles, *_doubts(judged)]
    if len(standings) == 1:
        only = "There is only one model, so there is nothing to compare it with."
        return Verdict((*doubts, only))
    if len(judged) < 2:
        return Verdict((_alone(judged, len(standings)), *doubts))
    outcome = Outcome(judged, len(standings))
    said = (outcome.answer(), *doubts, *outcome.details())
    names = frozenset(s.name for s in judged)
    return Verdict(said, outcome.best, outcome.leader.name, tuple(outcome.worse), names)


def _obstacles(standings: Sequence[Standing]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for standing in standings:
        if standing.obstacle is not None:
            reasons.setdefault(standing.obstacle, []).append(standing.name)
    said = [
        f"{listed_in_words(names)} cannot be judged: {reason}" for reason, names in reasons.items()
    ]
    stable: dict[int, list[str]] = {}
    for standing in standings:
        if standing.obstacle is not None and standing.stable:
            stable.setdefault(standing.drawn, []).append(standing.name)
    for drawn, names in stable.items():
        said.append(
            f"Predictions of {listed_in_words(names)} are stable all the same, and can be used: "
            f"{half_in_words(drawn)} of the chains gives the same ones."
        )
    return said


def _doubts(judged: Sequence[Standing]) -> list[str]:
    """What leaves a judgement open or less exact, and what to do about it."""
    doubts = []
    cases = min((len(s.elpd) for s in judged), default=LEAST_CASES)
    if len(judged) > 1 and cases < LEAST_CASES:
        doubts.append(
            f"Leave-one-out cannot decide with {cases} cases, as standard errors of differences "
            f"are too small below {LEAST_CASES}: collect more, or judge by held-out cases."
        )
    bad = [s for s in judged if s.bad_k]
    if bad:
        found = listed_in_words([f"{s.bad_k} of {len(s.elpd)} cases of {s.name}" for s in bad])
        doubts.append(
            f"Leave-one-out fails for {found}, which flatters: repair it with moment matching, "
            "then with exact refits, then with more draws."
        )
    return [*doubts, *_warnings(judged)]


def _warnings(judged: Sequence[Standing]) -> list[str]:
    """Why draws are less exact, with what mends it, once for models of which the same is true."""
    sharing: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for standing in (s for s in judged if s.warnings):
        found = tuple(dict.fromkeys(finding.name for finding in standing.warnings))
        remedies = tuple(dict.fromkeys(map(_remedy, standing.warnings)))
        sharing.setdefault((found, remedies), []).append(standing.name)
    return [
        f"Draws of {listed_in_words(names)} are less exact than they should be "
        f"({', '.join(found)}). {' '.join(remedies)}"
        for (found, remedies), names in sharing.items()
    ]


def _remedy(finding: Finding) -> str:
    """What mends a finding; all remedies of chains that mix slowly begin in the same way."""
    return "Run longer." if of_mixing(finding) else finding.remedy


def _alone(judged: Sequence[Standing], models: int) -> str:
    if not judged:
        return f"None of {models} models can be judged."
    return f"Of {models} models {judged[0].name} alone can be judged, and is compared with none."


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
    >>> from pymc_bnn.studies.comparison.verdict import advise_on_pareto_k
    >>> advise_on_pareto_k(0, 100)
    'leave-one-out is reliable'
    """
    if bad == 0:
        return "leave-one-out is reliable"
    if bad <= max(10, cases // 20):
        return f"{bad} of {cases} cases: use moment matching, then exact refits, then more draws"
    return f"{bad} of {cases} cases: use K-fold cross-validation or the held-out scores"
