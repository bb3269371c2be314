"""What is known before models are fitted: their compiled steps, how long they take, and a limit."""

from collections.abc import Mapping
from typing import Any

from ...models.bnn import BNN
from ...samplers import recommended_steps
from .estimating import Timed
from .settings import Settings
from .step_settings import step_settings
from .time_limit import TimeLimit, shortened


class Schedule:
    """How long each model is to be sampled.

    Parameters
    ----------
    settings : Settings
        What was asked for.
    timed : mapping of str to Timed, optional
        Models that were timed, in the order in which they are fitted.
    limit : TimeLimit, optional
        Of the whole comparison; models that were not timed have no place in it.
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
    >>> from pymc_bnn.studies.fits.schedule import Schedule
    >>> from pymc_bnn.studies.fits.settings import Settings
    >>> Schedule(Settings(draws=700)).settings_of("ard").draws
    700
    """

    def __init__(
        self,
        settings: Settings,
        timed: Mapping[str, Timed] | None = None,
        limit: TimeLimit | None = None,
        one_at_least: bool = True,
    ):
        self.one_at_least = one_at_least
        self.settings, self.timed, self.limit = settings, dict(timed or {}), limit
        self.given: dict[str, Settings] = {}
        self.took: dict[str, float] = {}
        self.late: str | None = None

    def settings_of(self, name: str) -> Settings | None:
        """Settings of the model whose turn it is; None if no time is left for it."""
        given = self.settings
        if self.limit is not None:
            if name not in self.timed:
                return None
            names = list(self.timed)
            left = [self.timed[other].estimate for other in names[names.index(name) :]]
            found = self.limit.length(left, self.settings)
            if found is None and self.one_at_least and not self.given:
                found = shortened(
                    self.settings, max(0.0, self.limit.share(left[:1], self.settings))
                )
            if found is None:
                return None
            given = found
        self.given[name] = given
        return given

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
        names = list(self.timed)
        rest = names[names.index(name) + 1 :] if name in names else names
        estimates = [self.timed[other].estimate for other in rest[:1]]
        return bool(rest) and self.limit.fits(estimates, self.settings, to_report=1)

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
