"""A limit of wall time, by which fits are made shorter, and the last ones left out."""

import math
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from time import monotonic
from typing import Any

from ..errors import InputError
from .estimating import Estimate
from .settings import Settings

LEAST_SHARE = 0.1  # of what was asked for; else a model is left out
LEAST_DRAWS, LEAST_OF_ALL = 10, 25  # of a chain, and of all chains, for leave-one-out
PILOTS = 0.25  # of the time, for those of hidden layers and of the likelihood each
# Until a model has shown it, what the evaluation and the report take besides leave-one-out: 0.4 to
# 1.3 of the time that the command needed to begin, where measured, or a part of what is left.
OF_START, OF_LEFT = 0.75, 0.15
TOO_LATE = 1.1  # of the time: sampling ends where it stands


def check_minutes(minutes: Any, given: str | None = None) -> float:
    """Return minutes as a number, or refuse them.

    Parameters
    ----------
    minutes : object
        What a user gave.
    given : str, optional
        How an error writes that; by default as the command line does.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If they are no finite number above 0.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.time_limit import check_minutes
    >>> check_minutes(3)
    3.0
    """
    number = isinstance(minutes, Real) and not isinstance(minutes, bool)
    if not number or not 0 < minutes < math.inf:
        given = f"--minutes {minutes}" if given is None else given
        raise InputError(f"{given}: give a number above 0, as in 5.")
    return float(minutes)


class TimeLimit:
    """A limit of wall time, and what is known of where it goes.

    Parameters
    ----------
    minutes : float
        The limit.
    begun : float
        When it began, by ``time.monotonic``.
    ready : float
        When all was read and checked.
    evaluation : float
        Seconds that the part of an evaluation takes which grows with the cases.

    Attributes
    ----------
    after : float or None
        Seconds from the last draw of a model to its report, the most so far.

    Examples
    --------
    >>> from time import monotonic
    >>> from pymc_bnn.studies.fits.estimating import Estimate
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> from pymc_bnn.studies.fits.time_limit import TimeLimit
    >>> limit, settings = TimeLimit(1.0, monotonic(), monotonic()), Settings(cores=4)
    >>> two = [Estimate(2.0, 0.0, 0.04, 0.0)] * 2  # of a minute each
    >>> limit.length(two, settings).draws in (424, 425)  # 51 s, as 15% are for the report
    True
    """

    def __init__(self, minutes: float, begun: float, ready: float, evaluation: float = 0.0):
        self.minutes, self.begun, self.start = minutes, begun, ready - begun
        self.evaluation = evaluation
        self.after: float | None = None
        self._estimated, self._sampled = 0.0, 0.0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.begun + 60 * self.minutes - monotonic()

    @property
    def for_one(self) -> float:
        """Seconds for one more model until its last draw, below 0 if there are none."""
        return self.left - self._reserve(1)

    @property
    def for_pilots(self) -> float:
        """Seconds for pilots of one choice."""
        return PILOTS * self.for_one

    @property
    def pace(self) -> float:
        """Time that sampling took over what was estimated, of all models so far."""
        return self._sampled / self._estimated if self._estimated else 1.0

    def learn(self, estimated: float, sampled: float, after: float) -> None:
        """Take in the seconds that a model took to sample, and those after that."""
        self._estimated += estimated
        self._sampled += sampled
        self.after = max(after, self.after or 0.0)

    def too_late(self) -> bool:
        """Whether sampling has to end where it stands, for a report to be written in time."""
        grace = (TOO_LATE - 1) * 60 * self.minutes
        return self.left + grace < self._reserve(1)

    def length(self, estimates: Sequence[Estimate], settings: Settings) -> Settings | None:
        """Settings of the first of some models, of which as many as possible are to fit.

        All models are made shorter alike, warm-up and draws, down to a tenth of what was asked
        for; if that is not enough, the last ones have to go without.

        Parameters
        ----------
        estimates : sequence of Estimate
            Of the models that are to come.
        settings : Settings
            What was asked for.

        Returns
        -------
        Settings or None
            Of at most as many draws; None if the time is not enough for the first model.
        """
        for models in range(len(estimates), 0, -1):
            share = self.share(estimates[:models], settings)
            if share >= LEAST_SHARE:
                return shortened(settings, min(1.0, share))
        return None

    def fits(self, estimates: Sequence[Estimate], settings: Settings, to_report: int = 0) -> bool:
        """Whether all models fit, with a tenth of their draws at least, and others' reports."""
        return self.share(estimates, settings, to_report) >= LEAST_SHARE

    def _reserve(self, models: int) -> float:
        """Seconds to keep for the evaluation of models and their reports."""
        if self.after is not None:
            return models * self.after
        besides = max(OF_START * self.start, OF_LEFT * self.left / models)
        return models * (besides + self.evaluation)

    def share(self, estimates: Sequence[Estimate], settings: Settings, to_report: int = 0) -> float:
        """Share of all draws that there is time for, below 0 if there is none."""
        left = self.left - self._reserve(len(estimates) + to_report)
        begin = sum(estimate.begin for estimate in estimates) * self.pace
        whole = sum(estimate.seconds(settings) for estimate in estimates) * self.pace - begin
        return (left - begin) / whole


def seconds_for_pilots(limit: TimeLimit | None) -> float:
    """Seconds for pilots of one choice, without end where there is no limit."""
    return math.inf if limit is None else limit.for_pilots


def shortened(settings: Settings, share: float) -> Settings:
    """Settings with a share of the draws and of the warm-up, but with enough to be judged.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> from pymc_bnn.studies.fits.time_limit import shortened
    >>> short = shortened(Settings(tune=500, draws=1000), 0.25)
    >>> short.tune, short.draws
    (125, 250)
    """
    least = max(LEAST_DRAWS, -(-LEAST_OF_ALL // settings.chains))
    asked = settings.tune, settings.draws
    tune, draws = (min(number, max(least, int(share * number))) for number in asked)
    return replace(settings, tune=tune, draws=draws)
