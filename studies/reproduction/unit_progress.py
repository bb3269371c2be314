"""Progress through units of work: a bar on a terminal, a line every few seconds elsewhere."""

import math
from collections.abc import Iterable
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from .unit_work import Unit

SECONDS_BETWEEN_LINES = 10.0


class UnitProgress:
    """Shows how many units are done, and about how long the others will take.

    Parameters
    ----------
    console : Console, optional
        Where to show it.
    """

    def __init__(self, console: Console | None = None):
        self.console = console or Console(stderr=True)
        self.title, self.total, self.done, self.cores = "", 0, 0, 1
        self.expected = self.measured = self.of_measured = 0.0
        self._changed = self._last_line = monotonic()
        self._bar: Progress | None = None

    def say(self, text: str) -> None:
        """Print a line."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def start(self, title: str, expected: list[float], cores: int) -> None:
        """Begin a stage, of so many units that are expected to take so many seconds each."""
        self.title, self.total, self.done, self.cores = title, len(expected), 0, cores
        self.expected, self.measured, self.of_measured = sum(expected), 0.0, 0.0
        self._changed = self._last_line = monotonic()

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            columns = ("{task.description}", BarColumn(), MofNCompleteColumn())
            left = TextColumn("{task.fields[left]}")
            self._bar = Progress(*columns, left, console=self.console)
            self._bar.add_task(self.title, total=self.total, left=f"{clock(self.left())} left")
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def finish(self, key: str, expected: float, seconds: float) -> None:
        """Take in that a unit is done, and how long it took."""
        self.done += 1
        self.measured += seconds
        self.of_measured += expected
        self._changed = monotonic()
        self.refresh(key)

    def refresh(self, key: str = "") -> None:
        """Show how far it is."""
        left = f"{clock(self.left())} left"
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self.done, left=left)
        elif self.done == self.total or monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = monotonic()
            last = f", last {key}" if key else ""
            self.say(f"{self.title}: {self.done} of {self.total} done{last}; {left}")

    def left(self) -> float:
        """Seconds left: what was expected, corrected by how long units really took."""
        trust = 0.05 * self.expected  # a few short units say little about all others
        measured = self.measured + trust
        factor = measured / (self.of_measured + trust) if measured > 0 else 1.0
        seconds = factor * (self.expected - self.of_measured) / self.cores
        return max(seconds - (monotonic() - self._changed), 0.0) if math.isfinite(seconds) else 0.0


def clock(seconds: float) -> str:
    """Write a duration as minutes and seconds, or hours, minutes and seconds.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.unit_progress import clock
    >>> clock(75), clock(3700)
    ('1:15', '1:01:40')
    """
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def about(seconds: float) -> str:
    """Write an estimate of a duration.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.unit_progress import about
    >>> about(41), about(2290), about(30000)
    ('about 41 seconds', 'about 38 minutes', 'about 8.3 hours')
    """
    if seconds < 90:
        return f"about {max(1, round(seconds))} seconds"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {seconds / 3600:.1f} hours"


def say_estimate(units: Iterable[Unit], aim: float | None = None, where: str = "") -> str:
    """Say how long units take, as they are declared, and if that is more than was aimed at.

    Parameters
    ----------
    units : iterable of Unit
        All of a budget.
    aim : float, optional
        Minutes on two processors.
    where : str
        Under which condition.

    Examples
    --------
    >>> from pymc_bnn.studies.reproduction.unit_progress import say_estimate
    >>> from pymc_bnn.studies.reproduction.unit_work import Unit
    >>> say_estimate([Unit("one", print, (), 600.0)], aim=4.0)[41:]
    '10 minutes of one processor: on two of them more than the 4 minutes that were aimed at.'
    """
    minutes = sum(unit.seconds for unit in units) / 60
    text = f"All units together are estimated to take {minutes:.0f} minutes of one processor{where}"
    if aim is None or minutes / 2 <= aim:
        return f"{text}."
    return f"{text}: on two of them more than the {aim:g} minutes that were aimed at."
