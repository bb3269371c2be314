"""What a run for the evidence of one model gave."""

from dataclasses import dataclass

import numpy as np

from ...samplers import Evidence


@dataclass(frozen=True)
class Measured:
    """The evidence of one model, or why there is none.

    Parameters
    ----------
    evidence : Evidence or None
        What was found, if anything was.
    failure : str
        Why nothing was found.
    interrupted : bool
        Whether Ctrl-C cut the run short, so that it is made anew.
    """

    evidence: Evidence | None = None
    failure: str = ""
    interrupted: bool = False

    @property
    def log_evidence(self) -> float:
        """The log evidence, NaN if there is none."""
        return np.nan if self.evidence is None else self.evidence.log_evidence

    @property
    def standard_error(self) -> float:
        """Its standard error, NaN if there is none."""
        return np.nan if self.evidence is None else self.evidence.standard_error

    @property
    def obstacle(self) -> str:
        """Why the evidence cannot be judged; empty where it can."""
        if self.evidence is None:
            return self.failure
        return " ".join(self.evidence.cautions)

    @property
    def judged(self) -> bool:
        """Whether nothing speaks against the evidence."""
        known = np.isfinite(self.log_evidence) and np.isfinite(self.standard_error)
        return bool(known) and not self.obstacle
