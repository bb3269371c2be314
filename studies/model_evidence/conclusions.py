"""Which model is more probable by its evidence, by rules that can also say no and undecided.

1. A model whose evidence failed, or whose draws give a caution, cannot be judged: it has no
   probability, and neither wins nor loses.
2. Another model is clearly less probable than the one in front if its log evidence is smaller by
   more than log 20, a Bayes factor of 20 to 1, and by more than the combined error at 95%: as
   many standard errors as choosing the best of several explains
   (:func:`.paired_scores.critical`), with the degrees of freedom of the jackknife.
3. It is as probable, but for a factor below 20, if the difference and its error lie below log 20.
4. All else is undecided.
5. Leave-one-out and the evidence disagree about two models if each says clearly the opposite.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..comparison.outcome import listed_in_words
from ..comparison.verdict import Verdict
from ..scores.paired_scores import critical
from .measured import Measured
from .probabilities import BLOCKS

BAYES_FACTOR = 20
WIDTH = (
    "Evidence depends on how wide the priors are, also where predictions hardly do; leave-one-out "
    "scores do not depend on it in this way."
)


@dataclass(frozen=True)
class Gap:
    """How far the log evidence of a model lies behind, and the error of that at 95%."""

    name: str
    size: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether the model is clearly less probable."""
        return self.size > max(np.log(BAYES_FACTOR), self.error)

    @property
    def small(self) -> bool:
        """Whether the Bayes factor is certainly below 20."""
        return self.size + self.error < np.log(BAYES_FACTOR)

    def __str__(self) -> str:
        return f"{self.name} by {self.size:.1f} ± {self.error:.1f}"


def state_probable(found: Mapping[str, Measured], predictive: Verdict) -> Verdict:
    """Say which model is more probable by its evidence, as far as that can be judged.

    Parameters
    ----------
    found : mapping of str to Measured
        Evidence of each model, of the same targets.
    predictive : Verdict
        What leave-one-out says of the same models.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from pymc_bnn.samplers import Evidence
    >>> from pymc_bnn.studies.comparison.verdict import Verdict
    >>> from pymc_bnn.studies.model_evidence.conclusions import state_probable
    >>> from pymc_bnn.studies.model_evidence.measured import Measured
    >>> found = {name: Measured(Evidence(z, 0.3, "mbar", (), ())) for name, z in
    ...          {"narrow": -50.0, "wide": -60.0}.items()}
    >>> print(state_probable(found, Verdict(())).sentences[0])
    By the evidence narrow is the most probable model: log evidence is smaller for wide by 10.0 ± 0.9 (error at 95%).
    """  # noqa: E501
    judged = {name: one for name, one in found.items() if one.judged}
    doubts = [
        f"The evidence of {name} cannot be judged: {one.obstacle or 'its error is unknown.'}"
        for name, one in found.items()
        if not one.judged
    ]
    if len(judged) < 2:
        alone = "Fewer than two models have evidence that can be judged, so none is compared."
        return Verdict((alone, *doubts, WIDTH))
    leader = max(judged, key=lambda name: judged[name].log_evidence)
    gaps = _gaps(judged, leader)
    worse = tuple(gap.name for gap in gaps if gap.clear)
    best = leader if len(worse) == len(gaps) else None
    of = [f"Of {len(found)} models {len(judged)} have evidence that can be judged."]
    about = [*of, *doubts] if doubts else []
    both = predictive.leader in judged and leader in predictive.judged
    beside = _beside(leader, worse, predictive) if both else []
    among = f" among the {len(judged)} of {len(found)} that can be judged by it" if doubts else ""
    said = (*_difference(leader, gaps, among), *about, *beside, WIDTH)
    return Verdict(said, best, leader, worse, frozenset(judged))


def _gaps(judged: Mapping[str, Measured], leader: str) -> list[Gap]:
    """Distances to the model in front, the nearest first."""
    first, limit = judged[leader], critical(len(judged), BLOCKS)
    gaps = [
        Gap(
            name,
            first.log_evidence - one.log_evidence,
            limit * float(np.hypot(first.standard_error, one.standard_error)),
        )
        for name, one in judged.items()
        if name != leader
    ]
    return sorted(gaps, key=lambda gap: (gap.size, gap.name))


def _difference(leader: str, gaps: Sequence[Gap], among: str) -> list[str]:
    clear = [gap for gap in gaps if gap.clear]
    small = [gap for gap in gaps if gap.small]
    rest = [gap for gap in gaps if not (gap.clear or gap.small)]
    if len(clear) == len(gaps):
        return [f"By the evidence {leader} is the most probable model{among}: {_smaller(clear)}."]
    said = []
    if small:
        said.append(
            f"The evidence does not tell {leader} from {_names(small)}: {_smaller(small)}, a Bayes "
            f"factor below {BAYES_FACTOR}."
        )
    if rest:
        said.append(
            f"By the evidence it is undecided whether {leader} is more probable than "
            f"{_names(rest)}: {_smaller(rest)}; more draws make the error smaller."
        )
    if clear:
        said.append(f"By the evidence {leader} is more probable than others: {_smaller(clear)}.")
    return said


def _smaller(gaps: Sequence[Gap]) -> str:
    return f"log evidence is smaller for {listed_in_words([*map(str, gaps)])} (error at 95%)"


def _names(gaps: Sequence[Gap]) -> str:
    return listed_in_words([gap.name for gap in gaps])


def _beside(leader: str, worse: Sequence[str], predictive: Verdict) -> list[str]:
    """How that fits to what leave-one-out says."""
    other = predictive.leader
    if other is None:
        return []
    if other == leader:
        return [f"{leader} is in front by leave-one-out, too."]
    if other in worse and leader in predictive.worse:
        return [
            f"Leave-one-out disagrees: by it {other} predicts clearly better than {leader}. It "
            "asks how well a case is predicted from all others, the evidence how probable all were "
            "under the prior, so that a wide prior can lose by evidence and still predict best."
        ]
    return [
        f"By leave-one-out {other} is in front of {leader}; that the two contradict each other is "
        "not clear by both."
    ]
