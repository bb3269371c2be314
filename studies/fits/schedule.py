"""What is known before models are fitted: their compiled steps, how long they take, and a limit."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...models.bnn import BNN
from ...samplers import recommended_steps
from .estimating import Estimate, Timed, time_model
from .settings import Settings
from .step_settings import step_settings
from .time_limit import TimeLimit, shortened

NEVER = Estimate(0.0, math.inf, math.inf, 0.0)  # where nothing is known


class Schedule:
    """How long each model is to be sampled.

    Parameters
    ----------
    settings : Settings
        What was asked for.
    timed : mapping of str to Timed, optional
        Models that were timed.
    limit : TimeLimit, optional
        Of the whole comparison.
    names : sequence of str
        All models that are to be sampled, in order. One that was not timed, as a limit seemed to
        have no time for it, is taken to last as long as the longest of the others until its turn.
    one_at_least : bool
        Whether the first model is sampled however short the time is.

    Attributes
    ----------
    given : dict of str to Settings
        Of models that were sampled, or are.
    took : dict of str to float
        Seconds that their sampling took.
    late : str or None
        A model that the limit ended while it was sampled.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.fits.schedule import Schedule
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> line = models.gaussian(np.eye(3), np.arange(3.0), hidden=())
    >>> Schedule(Settings(draws=700)).settings_of("line", line).draws
    700
    """

    def __init__(
        self,
        settings: Settings,
        timed: Mapping[str, Timed] | None = None,
        limit: TimeLimit | None = None,
        names: Sequence[str] = (),
        one_at_least: bool = True,
    ):
        self.settings, self.timed, self.limit = settings, dict(timed or {}), limit
        self.names, self.one_at_least = list(names), one_at_least
        self.given: dict[str, Settings] = {}
        self.took: dict[str, float] = {}
        self.late: str | None = None

    def settings_of(self, name: str, model: BNN) -> Settings | None:
        """Settings of the model whose turn it is; None if no time is left for it."""
        given: Settings | None = self.settings
        if self.limit is not None:
            given = self._within(self.limit, name, model)
        if given is not None:
            self.given[name] = given
        return given

    def _within(self, limit: TimeLimit, name: str, model: BNN) -> Settings | None:
        if name not in self.timed:
            if not limit.fits(self._estimates([name]), self.settings):
                return None
            self.timed[name] = time_model(model, self.settings)
        left = self._estimates(self.names[self.names.index(name) :])
        found = limit.length(left, self.settings)
        if found is None and self.one_at_least and not self.given:
            found = shortened(self.settings, max(0.0, limit.share(left[:1], self.settings)))
        return found

    def _estimates(self, names: Sequence[str]) -> list[Estimate]:
        known = {name: timed.estimate for name, timed in self.timed.items()}
        longest = max(known.values(), key=lambda e: e.seconds(self.settings), default=NEVER)
        return [known.get(name, longest) for name in names]

    def steps_of(self, name: str, model: BNN) -> Any:
        """Compiled steps of a model."""
        if name in self.timed:
            return self.timed[name].steps
        return recommended_steps(model, **step_settings(model, self.settings.target_accept))

    def estimate_of(self, name: str) -> float | None:
        """Seconds that sampling the model was to take, of as many draws as it is given."""
        if name not in self.timed or name not in self.given:
            return None
        return self.timed[name].estimate.seconds(self.given[name])

    def goes_on(self, name: str) -> bool:
        """Whether there will be time for a model after this one, as far as is known."""
        if self.limit is None:
            return True
        following = self.names.index(name) + 1 if name in self.names else 0
        rest = self._estimates(self.names[following:][:1])
        return bool(rest) and self.limit.fits(rest, self.settings, to_report=1)

    def check(self, name: str) -> None:
        """End sampling by ``KeyboardInterrupt`` if the limit is passed."""
        if self.limit is not None and self.limit.too_late():
            self.late = name
            raise KeyboardInterrupt

    def learn(self, name: str, sampled: float, after: float) -> None:
        """Take in the seconds that sampling a model took, and those after that."""
        self.took[name] = sampled
        if self.limit is not None:
            self.limit.learn(self.estimate_of(name) or 0.0, sampled, after)
