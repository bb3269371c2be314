"""A limit of wall time, by which fits are made shorter, and the last ones left out."""

import math
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

from ..errors import InputError
from .estimating import Estimate
from .settings import Settings

LEAST_SHARE, LEAST_DRAWS = 0.2, 10  # of what was asked for; else a model is left out
PILOTS = 0.25  # of the time, for those of hidden layers and of the likelihood each
# of the time of a model, for its evaluation and the report, until a model has shown it
RESERVED = 1 / 3
TOO_LATE = 1.1  # of the time: sampling ends where it stands


def check_minutes(minutes: Any) -> float:
    """Return minutes as a number, or refuse them.

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
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if not number or not 0 < minutes < math.inf:
        raise InputError(f"--minutes {minutes}: give a number above 0, as in 5.")
    return float(minutes)


class TimeLimit:
    """A limit of wall time, and what is known of where it goes.

    Parameters
    ----------
    minutes : float
        The limit.
    begun : float
        When it began, by ``time.monotonic``.

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
    >>> limit, settings = TimeLimit(1.0, monotonic()), Settings(cores=4)
    >>> two = [Estimate(2.0, 0.0, 0.04, 0.0)] * 2  # of a minute each
    >>> limit.length(two, settings).draws in (332, 333)  # a third of the minute is for the report
    True
    """

    def __init__(self, minutes: float, begun: float):
        self.minutes, self.begun = minutes, begun
        self.after: float | None = None
        self._estimated, self._sampled = 0.0, 0.0

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.begun + 60 * self.minutes - monotonic()

    @property
    def for_pilots(self) -> float:
        """Seconds for pilots of one choice."""
        return PILOTS * self.left

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
        return self.left + grace < (self.after or 0.0)

    def length(self, estimates: Sequence[Estimate], settings: Settings) -> Settings | None:
        """Settings of the first of some models, of which as many as possible are to fit.

        All models are made shorter alike, warm-up and draws, down to a fifth of what was asked
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
            share = self._share(estimates[:models], settings)
            if share >= LEAST_SHARE:
                return shortened(settings, min(1.0, share))
        return None

    def fits(self, estimates: Sequence[Estimate], settings: Settings) -> bool:
        """Whether all models fit, with a fifth of their draws at least."""
        return self._share(estimates, settings) >= LEAST_SHARE

    def _share(self, estimates: Sequence[Estimate], settings: Settings) -> float:
        """Share of all draws that there is time for."""
        left = self.left
        left -= RESERVED * left if self.after is None else self.after * len(estimates)
        begin = sum(estimate.begin for estimate in estimates) * self.pace
        whole = sum(estimate.seconds(settings) for estimate in estimates) * self.pace - begin
        return (left - begin) / whole


def shortened(settings: Settings, share: float) -> Settings:
    """Settings with a share of the draws and of the warm-up, of ten each at least.

    Examples
    --------
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> from pymc_bnn.studies.fits.time_limit import shortened
    >>> short = shortened(Settings(tune=500, draws=1000), 0.25)
    >>> short.tune, short.draws
    (125, 250)
    """
    asked = settings.tune, settings.draws
    tune, draws = (min(number, max(LEAST_DRAWS, int(share * number))) for number in asked)
    return replace(settings, tune=tune, draws=draws)
