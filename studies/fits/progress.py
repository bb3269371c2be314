"""Progress of a comparison: a live table on a terminal, a line every minute elsewhere."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

SECONDS_BETWEEN_LINES = 60.0
TELLING = 0.05  # of all draws: from here on, or after a minute, the time that is left is told


@dataclass
class ChainProgress:
    """How far one chain is; divergences are those since its warm-up."""

    done: int = 0
    tuning: bool = True
    acceptance: float = 0.0
    divergences: int = 0

    def update(self, stats: Mapping[str, Any], tuning: bool) -> int:
        """Take in the statistics of one draw and return its gradient evaluations."""
        self.tuning = tuning
        self.done += 1
        rate = float(stats.get("acceptance_rate", stats.get("mean_tree_accept", 0.0)))
        weight = max(1 / self.done, 0.01)
        self.acceptance += weight * (rate - self.acceptance)
        if not tuning:  # of thinned draws the count has those in between
            self.divergences += bool(stats.get("diverging", False))
            self.divergences = max(self.divergences, int(stats.get("divergences", 0)))
        return int(stats.get("n_steps", stats.get("tree_size", 0)))


@dataclass
class ModelProgress:
    """How far one model is."""

    status: str = "waiting"
    begun: float | None = None
    seconds: float = 0.0
    gradients: int = 0
    total: int = 0
    chains: list[ChainProgress] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Draws of all chains, those of warm-up included."""
        return sum(chain.done for chain in self.chains)


class Progress:
    """Shows how far the models and chains of a comparison are.

    Parameters
    ----------
    names : sequence of str
        The models.
    chains, tune, draws : int
        Of each model.
    console : Console, optional
        Where to show it.
    """

    def __init__(
        self, names: list[str], chains: int, tune: int, draws: int, console: Console | None = None
    ):
        self.console = console or Console(stderr=True)
        self.models = {name: ModelProgress() for name in names}
        self.n_chains, self.tune, self.total = chains, tune, tune + draws
        self.current: str | None = None
        self._next_line = -math.inf
        self._live = (
            Live(console=self.console, refresh_per_second=4, get_renderable=self._table)
            if self.console.is_terminal
            else None
        )

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, traceback)

    def say(self, text: str) -> None:
        """Print a line above the table."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)

    def start(self, name: str, total: int | None = None) -> None:
        """A model is being compiled; ``total`` says of how many draws, if not of all."""
        self.current = name
        self._next_line = -math.inf
        model = self.models[name]
        model.status, model.begun = "compiling", None
        model.total = total or self.total
        model.chains = [ChainProgress() for _ in range(self.n_chains)]
        if self._live is None:
            self.say(f"{name}: compiling")

    def skip(self, name: str) -> None:
        """A model is there from an earlier run."""
        self.models[name].status = "kept"
        if self._live is None:
            self.say(f"{name}: kept from an earlier run")

    def draw(self, trace: Any, draw: Any) -> None:
        """Take in one draw; a callback of ``pm.sample``."""
        assert self.current is not None
        model = self.models[self.current]
        if model.begun is None:
            model.begun, model.status = monotonic(), "sampling"
        stats: dict[str, Any] = {}
        for step in draw.stats:
            stats |= step
        model.gradients += model.chains[draw.chain].update(stats, draw.tuning)
        if self._live is None and monotonic() > self._next_line and self._tells(model):
            self._next_line = monotonic() + SECONDS_BETWEEN_LINES
            self.say(self._line(self.current))

    def finish(self, status: str = "done") -> int:
        """The current model has ended; return its gradient evaluations, warm-up included."""
        assert self.current is not None
        model = self.models[self.current]
        model.status = status
        model.seconds = 0.0 if model.begun is None else monotonic() - model.begun
        if self._live is None:
            self.say(f"{self.current}: {status} after {_clock(model.seconds)}")
        return model.gradients

    def _tells(self, model: ModelProgress) -> bool:
        """Whether there are draws enough to tell by them how long the others will take."""
        if model.begun is None:
            return False
        share = model.done / (self.n_chains * model.total)
        return share >= TELLING or monotonic() - model.begun > SECONDS_BETWEEN_LINES

    def _left(self, model: ModelProgress) -> str:
        if model.begun is None or not self._tells(model):
            return ""
        remaining = self.n_chains * model.total - model.done
        return _clock(remaining * (monotonic() - model.begun) / model.done)

    def _line(self, name: str) -> str:
        model = self.models[name]
        chains = [chain for chain in model.chains if chain.done]
        share = model.done / (self.n_chains * model.total)
        acceptance = sum(chain.acceptance for chain in chains) / len(chains)
        divergences = f"{sum(chain.divergences for chain in chains)} divergences"
        if all(chain.tuning for chain in chains):
            divergences = "in warm-up"
        return (
            f"{name}: {share:.0%} of {self.n_chains} chains, acceptance {acceptance:.2f}, "
            f"{divergences}; {self._left(model)} left"
        )

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for column in ("model", "status", "chain", "draws", "acceptance", "divergences", "left"):
            table.add_column(column, justify="left" if column in ("model", "status") else "right")
        for name, model in self.models.items():
            running = model.status == "sampling"
            seconds = _clock(model.seconds) if model.seconds else ""
            left = self._left(model) if running else seconds
            status = model.status
            rows = model.chains if running else []
            if not rows:
                table.add_row(name, status, "", "", "", "", left)
            for i, chain in enumerate(rows):
                first = (name, status, left) if i == 0 else ("", "", "")
                phase = "tune" if chain.tuning else "draw"
                table.add_row(
                    *first[:2],
                    str(i),
                    f"{phase} {chain.done}/{model.total}",
                    f"{chain.acceptance:.2f}",
                    "" if chain.tuning else str(chain.divergences),
                    first[2],
                )
        return table


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02d}"
