"""Who is clearly worse than the leader of a comparison; see :mod:`.verdict` for the rules."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...samplers.diagnosis.findings import Finding
from ..scores.paired_scores import LEAST_HELD_OUT, NOTICEABLE, Difference, critical, difference

LEAST_CASES = 100  # for a standard error of differences by leave-one-out (Sivula et al. 2025)
MEASURE = "in expected log predictive density"


@dataclass(frozen=True)
class Standing:
    """What a verdict looks at, of one model.

    Parameters
    ----------
    name : str
        What it is called.
    elpd : ndarray, shape (cases,)
        Pointwise leave-one-out.
    bad_k : int
        Cases for which leave-one-out fails.
    mcse : float
        Monte Carlo error of the sum, NaN if unknown.
    fault : str or None
        Why the draws must not be used, and what to do, if so.
    warnings : tuple of Finding
        Why the draws are less exact than they should be, if they are.
    held_out : ndarray or None
        Log scores of held-out cases.
    held_out_mcse : float
        Monte Carlo error of their sum, NaN if unknown.
    stable : bool
        Whether any half of the chains predicts the same, where they disagree on other things.
    drawn : int
        How many halves of the chains were looked at, where there are too many for all; else 0.
    """

    name: str
    elpd: np.ndarray
    bad_k: int = 0
    mcse: float = np.nan
    fault: str | None = None
    warnings: tuple[Finding, ...] = ()
    held_out: np.ndarray | None = None
    held_out_mcse: float = np.nan
    stable: bool = False
    drawn: int = 0

    @property
    def obstacle(self) -> str | None:
        """Why the model cannot be judged at all, and what to do."""
        if self.fault is not None:
            return self.fault
        bad = int((~np.isfinite(self.elpd)).sum())
        if bad:
            return (
                f"leave-one-out is not finite for {bad} of {len(self.elpd)} cases. Look for cases "
                "that no draw explains, such as an outlier or a wrong unit."
            )
        return None


class Outcome:
    """Who is clearly worse than the leader, by leave-one-out and on held-out cases.

    Parameters
    ----------
    judged : sequence of Standing
        Models that can be judged, the leader first.
    of : int
        Models in all.
    """

    def __init__(self, judged: Sequence[Standing], of: int):
        self.leader, *self.others = judged
        self.models, self.of = len(judged), of
        self.gaps = {
            s.name: difference(self.leader.elpd, s.elpd, self.leader.mcse, s.mcse)
            for s in self.others
        }
        held = [s.held_out for s in judged]
        self.held_out = {
            s.name: difference(
                self.leader.held_out, s.held_out, self.leader.held_out_mcse, s.held_out_mcse
            )
            for s in self.others
            if self.leader.held_out is not None and s.held_out is not None
        }
        self.cases = 0 if held[0] is None else len(held[0])
        enough = self.cases >= LEAST_HELD_OUT
        self.contradicted = [
            name
            for name, gap in self.gaps.items()
            if enough and name in self.held_out
            if self.held_out[name].contradicts(gap, self.models)
        ]
        decides = len(self.leader.elpd) >= LEAST_CASES and not self.leader.bad_k
        self.worse = [name for name, gap in self.gaps.items() if decides and self._clear(name, gap)]

    def _clear(self, name: str, gap: Difference) -> bool:
        return self._certain(gap) and name not in self.contradicted

    def _certain(self, gap: Difference) -> bool:
        """Whether a difference is large, and beyond chance."""
        return gap.total > NOTICEABLE and gap.clear(self.models)

    @property
    def best(self) -> str | None:
        """The leader, if all others are clearly worse."""
        return self.leader.name if len(self.worse) == len(self.others) else None

    def details(self) -> list[str]:
        """What the answer rests on, leave-one-out first."""
        return [*self._choice(), *self._error(), *self._held_out()]

    def answer(self) -> str:
        """Who predicts best by leave-one-out, of how many models, or that it is undecided."""
        leader = self.leader.name
        open_ones = [s.name for s in self.others if s.name not in self.worse]
        second = (open_ones or self.worse)[0]
        gap = self.gaps[second]
        margin = f"{gap.total:.1f} ± {gap.total_se:.1f}"
        if self.best is not None:
            return (
                f"{leader} predicts best{self._among(' among')}: {second} is worse by {margin} "
                f"{MEASURE}, a clear difference."
            )
        if self.worse:
            whose = "is" if len(self.worse) == 1 else "are"
            return (
                f"Undecided between {listed_in_words([leader, *open_ones])} ({second} lies "
                f"{margin} behind {leader} {MEASURE}); {listed_in_words(self.worse)} {whose} "
                f"clearly worse than {leader}{self._among(', among')}."
            )
        return (
            f"Undecided{self._among(' among')}: none is clearly worse than {leader} ({second} "
            f"lies {margin} behind {MEASURE}){self._why_open()}."
        )

    def _why_open(self) -> str:
        """What keeps differences from counting that are large and beyond chance."""
        if not any(map(self._certain, self.gaps.values())):
            return ""
        if len(self.leader.elpd) < LEAST_CASES:
            return f", as {len(self.leader.elpd)} cases are too few"
        if self.leader.bad_k:
            return f", as leave-one-out fails for cases of {self.leader.name}"
        return ", which held-out cases contradict" if self.contradicted else ""

    def _among(self, word: str) -> str:
        """Which models an answer is about, where it is not about all of them."""
        if self.models == self.of:
            return ""
        return f"{word} the {self.models} of {self.of} models that can be judged"

    def _choice(self) -> list[str]:
        if self.models == 2:
            return []
        limit = critical(self.models, len(self.leader.elpd))
        return [
            f"{self.leader.name} leads as the best of {self.models} by the same scores, so that "
            f"differences count from {limit:.1f} standard errors on."
        ]

    def _error(self) -> list[str]:
        errors = [s.mcse for s in (self.leader, *self.others)]
        if not np.isfinite(errors).all():
            return ["The Monte Carlo error of some of these scores is unknown."]
        return [
            f"The Monte Carlo error of each score is {max(errors):.2g} or less, and counted in."
        ]

    def _held_out(self) -> list[str]:
        if not self.held_out:
            return []
        if self.cases < LEAST_HELD_OUT:
            return [
                f"{self.cases} held-out cases are too few to agree or to contradict "
                f"({LEAST_HELD_OUT} are needed)."
            ]
        confirmed = [n for n, gap in self.held_out.items() if gap.clear(self.models)]
        turned = [
            n
            for n, gap in self.held_out.items()
            if n not in self.contradicted and gap.turned.clear(self.models)
        ]
        said = []
        if self.contradicted:
            said.append(f"contradict leave-one-out about {self._margins(self.contradicted)}")
        if confirmed:
            agree = "agree that" if set(confirmed) <= set(self.worse) else "say that"
            said.append(f"{agree} {self.leader.name} is better than {self._margins(confirmed)}")
        if turned:  # which leave-one-out's own error explains
            whose = "is" if len(turned) == 1 else "are"
            said.append(f"say that {self._margins(turned)} {whose} better than {self.leader.name}")
        rest = [n for n in self.held_out if n not in (*self.contradicted, *confirmed, *turned)]
        if rest:
            said.append(f"do not decide about {self._margins(rest)}")
        return [
            f"The {self.cases} held-out cases {'; they '.join(said)} "
            f"(log score of {self.leader.name} less theirs, per case)."
        ]

    def _margins(self, names: Sequence[str]) -> str:
        gaps = [(name, self.held_out[name]) for name in names]
        return listed_in_words([f"{name} ({gap.mean:+.3f} ± {gap.se:.3f})" for name, gap in gaps])


def listed_in_words(names: Sequence[str]) -> str:
    """Join names as a sentence does."""
    texts = [str(name) for name in names]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
