"""How much the study samples: a minute's worth, an hour's, or what the thesis did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...models.choices import choose
from ..errors import one_line_errors

WIDTHS = (8, 12, 16, 20)
SUPER_TRANSITIONS = 12  # not in the thesis: 204804 = 12 x 17067, its longest trajectory's length
SECONDS_PER_TRAJECTORY = 2e-6
SECONDS_TO_START = 2.0  # a unit's model and step method
SECONDS_PER_LEAPFROG = {"gibbs": 0.25e-6, "interweaved_gibbs": 0.25e-6, "dynamical_a": 0.8e-6}


@dataclass(frozen=True)
class Grid:
    """Settings of one method.

    Parameters
    ----------
    leapfrogs : int
        Leapfrog steps of a chain, Table 5.10.
    n_leapfrog : tuple of int
        Leapfrog steps of a trajectory.
    step_scales : tuple of float
        Step size adjustment factors.
    """

    leapfrogs: int
    n_leapfrog: tuple[int, ...]
    step_scales: tuple[float, ...]

    def settings(self) -> Iterator[tuple[int, float]]:
        """All pairs of leapfrog steps and factor."""
        return ((steps, scale) for steps in self.n_leapfrog for scale in self.step_scales)

    def sweeps(self, n_leapfrog: int) -> int:
        """Trajectories of a super-transition.

        Examples
        --------
        >>> from pymc_bnn.studies.choo2000.budgets import BUDGETS
        >>> BUDGETS["paper"].grids["gibbs"].sweeps(400)
        128
        """
        return max(1, self.leapfrogs // SUPER_TRANSITIONS // n_leapfrog)

    def seconds(self, method: str, width: int, n_leapfrog: int, chains: int) -> float:
        """About how long all chains of a setting take, one after the other."""
        trajectories = chains * SUPER_TRANSITIONS * self.sweeps(n_leapfrog)
        step = SECONDS_PER_LEAPFROG.get(method, 1.6e-6) * (0.5 + width / 16)
        return SECONDS_TO_START + trajectories * (n_leapfrog * step + SECONDS_PER_TRAJECTORY)


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    widths : tuple of int
        Hidden units.
    grids : mapping of str to Grid
        By method.
    master_samples : mapping of int to int
        Trajectories of the master run, by width.
    separations : mapping of int to int
        Trajectories between start states, by width.
    interweaved_samples : int
        Trajectories of the master run with interweaving; none if 0.
    master_thin : int
        Trajectories per recorded state of a master run.
    """

    name: str
    widths: tuple[int, ...]
    grids: Mapping[str, Grid]
    master_samples: Mapping[int, int]
    separations: Mapping[int, int] = field(default_factory=dict)
    interweaved_samples: int = 0
    master_thin: int = 100


def _grids(leapfrogs: tuple[int, int, int], *grids: tuple[tuple, tuple]) -> dict[str, Grid]:
    gibbs, a, b = (Grid(n, *grid) for n, grid in zip(leapfrogs, grids, strict=True))
    return {"gibbs": gibbs, "interweaved_gibbs": gibbs, "dynamical_a": a, "dynamical_b": b}


_THESIS = (614400, 307200, 204804)
_B_LENGTHS = tuple(round(17067 / 2**k) for k in range(3, 11))[::-1]

BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            (8, 12),
            _grids(
                (3072, 1536, 1024),
                ((50, 200), (0.4,)),
                ((25, 100), (0.453,)),
                ((17, 67), (0.08,)),
            ),
            master_samples=dict.fromkeys((8, 12), 20_000),
            separations=dict.fromkeys((8, 12), 400),
            interweaved_samples=20_000,
            master_thin=20,
        ),
        Budget(
            "desk",
            WIDTHS,
            _grids(
                _THESIS,
                ((50, 100, 200, 400, 800), (0.283, 0.4)),
                ((25, 50, 100, 200), (0.32, 0.453, 0.64)),
                ((17, 67, 267, 533), (0.04, 0.08, 0.16)),
            ),
            master_samples={8: 200_000, 12: 200_000, 16: 400_000, 20: 400_000},
            separations={8: 4000, 12: 4000, 16: 8000, 20: 8000},
            interweaved_samples=200_000,
        ),
        Budget(
            "paper",
            WIDTHS,
            _grids(
                _THESIS,
                (tuple(25 * 2**k for k in range(9)), (0.2, 0.283, 0.4, 0.566)),
                (tuple(25 * 2**k for k in range(9)), (0.226, 0.32, 0.453, 0.64, 0.905)),
                (_B_LENGTHS, (0.02, 0.028, 0.04, 0.057, 0.08, 0.113, 0.16, 0.226, 0.32)),
            ),
            master_samples={8: 500_000, 12: 800_000, 16: 3_500_000, 20: 700_000},
            separations={8: 10_000, 12: 10_000, 16: 50_000, 20: 10_000},
            interweaved_samples=500_000,
        ),
    )
}


def find_budget(name: str) -> Budget:
    """Look a budget up.

    Raises
    ------
    InputError
        If there is none of this name.

    Examples
    --------
    >>> from pymc_bnn.studies.choo2000.budgets import find_budget
    >>> find_budget("paper").grids["dynamical_b"].n_leapfrog
    (17, 33, 67, 133, 267, 533, 1067, 2133)
    """
    with one_line_errors():
        return BUDGETS[choose("budget", name, BUDGETS)]
