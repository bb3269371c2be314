"""What a user of ``pymc-bnn compare`` asks for."""

import shlex
from dataclasses import dataclass
from pathlib import Path

AUTO = "auto"  # hidden layers by pilot runs


@dataclass(frozen=True)
class Request:
    """What the user asked for; see the options of ``pymc-bnn compare``."""

    table: Path | None = None
    data: str | None = None
    target: str | None = None
    task: str | None = None
    variants: str | None = None
    likelihood: str | None = None
    target_accept: float | None = None
    hidden: str = AUTO
    activation: str = "tanh"
    draws: int = 1000
    tune: int = 500
    chains: int = 4
    cores: int | None = None
    seed: int = 0
    test_fraction: float = 0.25
    ignore: tuple[str, ...] = ()
    drop_missing: bool = False
    mark_missing: bool = False
    periods: tuple[str, ...] = ()
    moment_match: bool = False
    refit: bool = False
    evidence: bool = False
    minutes: float | None = None
    scheduler: str | None = None
    out: Path = Path("report")

    def command(self) -> str:
        """Command line that does it all again."""
        words = ["uv", "run", "pymc-bnn", "compare"]
        if self.table is not None:
            words.append(str(self.table))
        else:
            words += ["--data", self.data or "autompg"]
        for name in ("target", "task", "variants", "likelihood"):
            if getattr(self, name) is not None:
                words += [f"--{name}", getattr(self, name)]
        if self.target_accept is not None:
            words += ["--target-accept", str(self.target_accept)]
        if self.minutes is not None:
            words += ["--minutes", repr(float(self.minutes))]
        for name in ("hidden", "activation", "draws", "tune", "chains", "seed", "test_fraction"):
            words += [f"--{name.replace('_', '-')}", str(getattr(self, name))]
        for column in self.ignore:
            words += ["--ignore", column]
        for period in self.periods:
            words += ["--period", period]
        for name in ("drop_missing", "mark_missing", "moment_match", "refit", "evidence"):
            if getattr(self, name):
                words.append(f"--{name.replace('_', '-')}")
        if self.out != Path("report"):
            words += ["--out", str(self.out)]
        return shlex.join(words)
