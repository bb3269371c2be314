"""Lengths of trajectories, and the settings that methods are compared with."""

from dataclasses import dataclass

ETA = 0.3  # the step size adjustment factor of the thesis
INITIAL = (1024, 64, 4)  # leapfrogs of a trajectory of the initial phase
BEST_INITIAL = 64  # by the thesis
SUPER = 31.25  # super-transitions of the sampling phase are so many times as long: 32 000
LENGTHS = (125, 500, 2000, 8000, 32_000)
SHORTER = (30, 125, 500, 2000, 8000)  # with interweaving
BEST_LENGTH = 8000  # by the thesis, too
UNCORRECTED = "stochastic dynamics"  # without rejection


@dataclass(frozen=True)
class Setting:
    """A setting of a method.

    Parameters
    ----------
    method : str
        One of :data:`SETTINGS`.
    leapfrogs : int
        Of a trajectory.
    eta : float
        Step size adjustment factor, or the step of a random walk.
    more : float
        Persistence of the momentum, states of a window, or batches of cases, of which a step of a
        trajectory takes one.
    """

    method: str
    leapfrogs: int
    eta: float
    more: float = 0.0

    @property
    def words(self) -> str:
        """Say the setting.

        Examples
        --------
        >>> from pymc_bnn.studies.neal1995.design.settings import Setting
        >>> Setting("persistence", 10, 0.3, 0.9).words
        'L 10, eta 0.3, persistence 0.9'
        """
        if self.method == "Metropolis":
            return f"step {self.eta:g}"
        name = "batches" if self.method == "partial" else self.method.rstrip("s")
        more = f", {name} {self.more:g}" if self.more else ""
        return f"L {self.leapfrogs}, eta {self.eta:g}{more}"


TIME = 300  # of trajectories that are compared by eta: eta times leapfrogs
ETAS = (0.1, 0.2, 0.3, 0.4, 0.5)
SETTINGS: dict[str, tuple[Setting, ...]] = {
    "HMC": (
        *(Setting("HMC", round(TIME / eta), eta) for eta in ETAS),
        *(Setting("HMC", steps, ETA) for steps in (10, 100, 4000, 16_000)),
        Setting("HMC", 4000, 0.4),
    ),
    "Langevin": tuple(Setting("Langevin", 1, eta) for eta in (0.3, 0.6)),
    "Metropolis": tuple(Setting("Metropolis", 1, step) for step in (0.0001, 0.0003, 0.001)),
    UNCORRECTED: (
        *(Setting(UNCORRECTED, 1000, eta) for eta in (0.1, 0.2, 0.3, 0.4)),
        *(Setting(UNCORRECTED, 4000, eta) for eta in (0.3, 0.4)),
    ),
    "persistence": (
        Setting("persistence", 1, 0.2, 0.99),
        Setting("persistence", 10, 0.2, 0.99),
        Setting("persistence", 100, 0.3, 0.9),
        Setting("persistence", 1000, 0.3, 0.5),
        Setting("persistence", 4000, 0.3, 0.5),
        Setting("persistence", 4000, 0.4, 0.5),
    ),
    "windows": (
        Setting("windows", 1000, 0.3, 50),
        Setting("windows", 1000, 0.4, 200),
        Setting("windows", 4000, 0.3, 200),
        Setting("windows", 4000, 0.4, 400),
    ),
    "partial": (
        Setting("partial", 2000, 0.1, 2),
        Setting("partial", 2000, 0.2, 2),
        Setting("partial", 8000, 0.15, 2),
        Setting("partial", 16_000, 0.07, 4),
    ),
    "interweaving": (
        *(Setting("interweaving", n, ETA) for n in (10, 100, 1000, 4000)),
        *(Setting("interweaving", n, 0.4) for n in (1000, 4000)),
    ),
}
LONGER = 4  # times the gradients of other chains, for those that decide
LONG: dict[str, tuple[Setting, ...]] = {
    "HMC": (
        Setting("HMC", 4000, 0.3),
        Setting("HMC", 4000, 0.4),
        Setting("HMC", 8000, 0.3),
        Setting("HMC", 2000, 0.4),
        Setting("HMC", 8000, 0.4),
    ),
    "persistence": (
        Setting("persistence", 1000, 0.3, 0.9),
        Setting("persistence", 4000, 0.3, 0.5),
        Setting("persistence", 4000, 0.3, 0.9),
        Setting("persistence", 2000, 0.4, 0.5),
        Setting("persistence", 4000, 0.4, 0.5),
    ),
    "partial": (
        Setting("partial", 8000, 0.15, 2),
        Setting("partial", 16_000, 0.15, 2),
        Setting("partial", 16_000, 0.07, 4),
    ),
}
