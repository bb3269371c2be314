"""How much the study samples: a minute's worth, an hour's, or what the paper did."""

from dataclasses import dataclass

from .cold import Cold
from .modes import Modes
from .ordinary import CHOO, NETWORKS, PRIORS, TABLES, Ordinary
from .sweeps import OTHER_WIDTHS, Ladder, Sweep


@dataclass(frozen=True)
class Minimised:
    """Networks that are only minimised (3.4)."""

    network: str
    cases: int
    networks: int
    steps: int


@dataclass(frozen=True)
class Exchange:
    """A ladder of replicas that change places (Algorithm 2).

    Parameters
    ----------
    network : str
        Of :data:`.networks.NETWORKS`.
    cases : int
        Training cases.
    temperatures : int
        An odd number, so that 1 is in the middle of the ladder.
    tune, draws : int
        Trajectories of each replica.
    """

    network: str
    cases: int
    temperatures: int
    tune: int
    draws: int


@dataclass(frozen=True)
class Bridges:
    """Evidence by the paper's bridge (4.3)."""

    bridges: int
    trajectories: int
    chains: int


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    tune, draws : int
        Trajectories of a chain at each temperature, before those that count and of these.
    leapfrogs : int
        Leapfrog steps of a trajectory.
    tested : int
        Draws at each temperature that predict the test cases.
    sweeps, minimised, exchanges : tuple
        What to run.
    bridges : Bridges, optional
        Of networks on 500 cases.
    evidence_of : tuple of str
        Which networks have a bridge.
    modes : tuple
        Small networks with separate modes.
    cold : tuple
        Regressions on ordinary tables.
    ordinary : tuple
        Networks that are sampled with and without exchange.
    """

    name: str
    tune: int
    draws: int
    leapfrogs: int
    tested: int
    sweeps: tuple[Sweep, ...]
    minimised: tuple[Minimised, ...]
    exchanges: tuple[Exchange, ...] = ()
    bridges: Bridges | None = None
    evidence_of: tuple[str, ...] = ("M3", "M1")
    modes: tuple[Modes, ...] = ()
    cold: tuple[Cold, ...] = ()
    ordinary: tuple[Ordinary, ...] = ()

    @property
    def predicting(self) -> int:
        """How many draws of a chain predict, as they are taken at even distances."""
        return len(range(0, self.draws, max(1, self.draws // self.tested)))


def _ordinary(seconds: float) -> tuple[Ordinary, ...]:
    return tuple(
        Ordinary(table, variant, hidden, seconds)
        for hidden in NETWORKS
        for table in TABLES
        for variant in PRIORS
    )


LADDER, MIDDLE, SHORTER = Ladder(30, 50), Ladder(20, 30), Ladder(12, 18)
BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            tune=4,
            draws=8,
            leapfrogs=5,
            tested=4,
            sweeps=(Sweep("M3", 50, per_decade=0.5, chains=1),),
            minimised=(Minimised("M3", 50, 2, 100),),
            exchanges=(Exchange("M3", 50, 5, 4, 8),),
            modes=(Modes(3, temperatures=3, chains=2, ladders=2, tune=20, draws=20),),
            cold=(Cold("autompg", 8, splits=2, chains=2, tune=20, draws=20),),
            ordinary=(Ordinary(CHOO, "gaussian", (8,), seconds=0.1, chains=2),),
        ),
        Budget(
            "desk",
            tune=40,
            draws=40,
            leapfrogs=100,
            tested=10,
            sweeps=(
                Sweep("M3", 2500, per_decade=2, chains=1),
                Sweep("M3", 500),
                Sweep("M1", 500),
                Sweep("M3star", 500, chains=1),
                Sweep("M3", 500, "reject", ("heating",)),
                Sweep("M3", 50),
                Sweep("M3star", 50),
                Sweep("M3", 50, "reject", ("heating",)),
                *(Sweep(network, 500, chains=1) for network in OTHER_WIDTHS),
            ),
            minimised=(
                Minimised("M3", 50, 100, 1000),
                Minimised("M3", 500, 100, 1000),
                Minimised("M3", 2500, 10, 1000),
                Minimised("M3star", 50, 100, 1000),
                Minimised("M3star", 500, 100, 1000),
            ),
            exchanges=(Exchange("M3", 50, 29, 50, 150),),
            bridges=Bridges(10, 20, 2),
            modes=(Modes(3), Modes(8), Modes(3, mirrored=True)),
            cold=tuple(
                Cold(table, units, tune=200, draws=200)
                for table in ("autompg", "diabetes")
                for units in (8, 32)
            ),
            ordinary=_ordinary(8.0),
        ),
        Budget(
            "gpu",
            tune=300,
            draws=500,
            leapfrogs=100,
            tested=20,
            sweeps=(
                Sweep("M3", 500, per_decade=28, ladder=LADDER),
                Sweep("M1", 500, per_decade=28, ladder=LADDER),
                Sweep("M3", 50, per_decade=28, ladder=LADDER),
                Sweep("M3", 2500, per_decade=28, ladder=SHORTER),
                Sweep("M3star", 500, per_decade=28, ladder=LADDER),
                Sweep("M3star", 50, per_decade=28, ladder=LADDER),
                Sweep("M3star", 2500, per_decade=28, ladder=SHORTER),
                *(Sweep(network, 500, per_decade=28, ladder=MIDDLE) for network in OTHER_WIDTHS),
            ),
            minimised=(
                Minimised("M3", 50, 100, 1000),
                Minimised("M3", 500, 100, 1000),
                Minimised("M3", 2500, 100, 1000),
                Minimised("M3star", 50, 20, 1000),
                Minimised("M3star", 500, 20, 1000),
                Minimised("M3star", 2500, 20, 1000),
            ),
        ),
        Budget(
            "paper",
            tune=500,
            draws=500,
            leapfrogs=100,
            tested=100,
            sweeps=(
                Sweep("M3", 5000, per_decade=28, chains=2),
                Sweep("M3", 500, per_decade=28, chains=2),
                Sweep("M1", 500, per_decade=28, chains=2),
                Sweep("M3star", 500, per_decade=28, chains=2),
                Sweep("M3", 500, "reject", ("heating",), per_decade=28),
                Sweep("M3", 50, per_decade=28, chains=2),
                Sweep("M3star", 50, per_decade=28, chains=2),
                Sweep("M3", 50, "reject", ("heating",), per_decade=28),
                *(Sweep(network, 500, per_decade=28) for network in OTHER_WIDTHS),
            ),
            minimised=(
                Minimised("M3", 50, 100, 1000),
                Minimised("M3", 500, 100, 1000),
                Minimised("M3", 5000, 100, 4000),
                Minimised("M3star", 50, 100, 4000),
                Minimised("M3star", 500, 100, 4000),
            ),
            exchanges=(Exchange("M3", 50, 113, 500, 5000), Exchange("M3", 500, 113, 500, 5000)),
            bridges=Bridges(100, 100, 28),
            modes=tuple(
                Modes(units, mirrored, draws=20_000)
                for units, mirrored in ((3, False), (8, False), (3, True))
            ),
            cold=tuple(
                Cold(table, units, splits=20, tune=1000, draws=1000)
                for table in ("autompg", "diabetes")
                for units in (8, 32)
            ),
            ordinary=_ordinary(600.0),
        ),
    )
}
