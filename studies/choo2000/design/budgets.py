"""How much the study samples: a minute's worth, an hour's, or what the thesis did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .methods import SAMPLERS, THESIS
from .published import published

WIDTHS = (8, 12, 16, 20)
WIDE = (32, 64)  # beyond the thesis
SUPER_TRANSITIONS = 12  # not in the thesis: 204804 = 12 x 17067, its longest trajectory's length
MOST_DRAWS = 250  # recorded in a super-transition; the thesis's measure takes the last of them
PASSES = 2 * 614400  # through the network, of a chain; Tables 5.5 and 5.10
# measured with both of two processors busy
SECONDS_PER_TRAJECTORY = 8e-6
SECONDS_OF_MOVES = {"interweaved_gibbs": 16e-6, "collapsed_gibbs": 55e-6}  # per trajectory
SECONDS_TO_START = 4.0  # a unit's model and step method
SECONDS_PER_LEAPFROG = dict.fromkeys(("gibbs", "interweaved_gibbs", "collapsed_gibbs"), 0.4e-6)
SECONDS_PER_SPLIT = 0.7e-6  # per deemed pass of a leapfrog step that moves both blocks


@dataclass(frozen=True)
class Grid:
    """Settings of one method.

    Parameters
    ----------
    n_leapfrog : tuple of int
        Leapfrog steps of a trajectory.
    step_scales : tuple of float
        Step size adjustment factors.
    """

    n_leapfrog: tuple[int, ...]
    step_scales: tuple[float, ...]

    def settings(self) -> Iterator[tuple[int, float]]:
        """All pairs of leapfrog steps and factor."""
        return ((steps, scale) for steps in self.n_leapfrog for scale in self.step_scales)


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    passes : int
        Passes through the network of a chain, for every method.
    widths, wide : tuple of int
        Hidden units of the thesis, and more.
    grids, wide_grids : mapping of str to Grid
        By method, for ``widths`` and for ``wide``.
    master_samples : mapping of int to int
        Trajectories of the master run, by width.
    separations : mapping of int to int
        Trajectories between start states, by width.
    times : int
        How many times as many start states the growth with width is measured from; 0 for none.
    unthinned : int
        Trajectories of each chain that keeps all of them; 0 for none.
    thesis_best : tuple of str
        Methods whose grids hold, at each width, what the thesis found best there too.
    interweaved_samples : int
        Trajectories of the master runs with interweaving.
    repeats : int
        Trajectories from each start state to measure a rejection rate; 0 leaves chapter 6 and the
        verification of the new methods out.
    """

    name: str
    passes: int
    widths: tuple[int, ...]
    wide: tuple[int, ...]
    grids: Mapping[str, Grid]
    wide_grids: Mapping[str, Grid]
    master_samples: Mapping[int, int]
    interweaved_samples: int
    repeats: int
    separations: Mapping[int, int] = field(default_factory=dict)
    times: int = 0
    unthinned: int = 0
    thesis_best: tuple[str, ...] = ()

    def settings(self, method: str, width: int) -> list[tuple[int, float]]:
        """Leapfrog steps and factors of a method's grid at a width.

        Examples
        --------
        >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
        >>> BUDGETS["desk"].settings("dynamical_b", 20)
        [(67, 0.08), (67, 0.16), (17, 0.16)]
        """
        grids = self.wide_grids if width in self.wide else self.grids
        return [*grids[method].settings(), *self.added(method, width)]

    def added(self, method: str, width: int) -> list[tuple[int, float]]:
        """What the thesis found best, where the grid has nothing like it (Table 5.11)."""
        if method not in self.thesis_best or width in self.wide:
            return []
        table = published("optimal_settings").set_index(["method", "hidden_units"])
        row = table.loc[(method, width)]
        steps, scale = int(row["leapfrog_steps"]), float(row["step_factor"])
        # lengths that are halvings of 17067 are rounded here, and rounded down there
        there = any(abs(n - steps) <= 1 and s == scale for n, s in self.grids[method].settings())
        return [] if there else [(steps, scale)]

    def sweeps(self, method: str, n_leapfrog: int) -> int:
        """Trajectories of a super-transition.

        Examples
        --------
        >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
        >>> BUDGETS["paper"].sweeps("gibbs", 400)
        128
        """
        each = SAMPLERS[method].passes * n_leapfrog + SAMPLERS[method].sweep_passes
        # lengths are rounded halvings of 17067, which may take a little more than their share
        return max(1, int(self.passes / SUPER_TRANSITIONS / each + 0.01))

    def recording(self, method: str, n_leapfrog: int) -> tuple[int, int]:
        """Recorded draws of a super-transition, and trajectories of each.

        Examples
        --------
        >>> from pymc_bnn.studies.choo2000.design.budgets import BUDGETS
        >>> BUDGETS["paper"].recording("gibbs", 400), BUDGETS["paper"].recording("gibbs", 6400)
        ((128, 1), (8, 1))
        """
        sweeps = self.sweeps(method, n_leapfrog)
        each = -(-sweeps // MOST_DRAWS)
        return sweeps // each, each

    def seconds(self, method: str, width: int, n_leapfrog: int, chains: int) -> float:
        """About how long all chains of a setting take, one after the other."""
        trajectories = chains * SUPER_TRANSITIONS * self.sweeps(method, n_leapfrog)
        split = SECONDS_PER_SPLIT * SAMPLERS[method].passes / 1.5
        step = SECONDS_PER_LEAPFROG.get(method, split) * (0.5 + width / 16)
        each = SECONDS_PER_TRAJECTORY + SECONDS_OF_MOVES.get(method, 0.0)
        return SECONDS_TO_START + trajectories * (n_leapfrog * step + each)


# the thesis's (Table 5.7)
MASTER_SAMPLES = {8: 500_000, 12: 800_000, 16: 3_500_000, 20: 700_000}
SEPARATIONS = {8: 10_000, 12: 10_000, 16: 50_000, 20: 10_000}
_B_LENGTHS = tuple(round(17067 / 2**k) for k in range(11))[::-1]

BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            PASSES // 200,
            (8, 12),
            (),
            {
                "gibbs": Grid((50, 200), (0.4,)),
                "dynamical_a": Grid((25, 100), (0.453,)),
                "dynamical_b": Grid((17, 67), (0.08,)),
                "interweaved_gibbs": Grid((20,), (0.4,)),
                "interweaved_a": Grid((20,), (0.4,)),
                "tethered_a": Grid((20,), (0.2,)),
                "estimated_b": Grid((17,), (0.08,)),
                "collapsed_gibbs": Grid((20,), (0.4,)),
            },
            {},
            master_samples=dict.fromkeys((8, 12), 20_000),
            interweaved_samples=20_000,
            repeats=1,
            separations=dict.fromkeys((8, 12), 400),
        ),
        Budget(
            "desk",
            PASSES,
            WIDTHS,
            WIDE,
            {
                "gibbs": Grid((50, 200), (0.283, 0.4)),
                "dynamical_a": Grid((25, 100), (0.32, 0.453)),
                "dynamical_b": Grid((67,), (0.08, 0.16)),
                "interweaved_gibbs": Grid((7,), (0.283,)),
                "interweaved_a": Grid((15,), (0.32,)),
                "tethered_a": Grid((15,), (0.2,)),
                "estimated_b": Grid((67,), (0.08,)),
                "collapsed_gibbs": Grid((7,), (0.283,)),
            },
            {
                "gibbs": Grid((50,), (0.2,)),
                "interweaved_gibbs": Grid((7,), (0.2,)),
                "collapsed_gibbs": Grid((7,), (0.141, 0.2)),
            },
            MASTER_SAMPLES | {16: 400_000},
            interweaved_samples=1_000_000,
            repeats=16,
            separations=SEPARATIONS | {16: 8000},
            times=5,
            unthinned=20_000,
            thesis_best=THESIS,
        ),
        Budget(
            "paper",
            PASSES,
            WIDTHS,
            WIDE,
            {
                "gibbs": Grid(tuple(25 * 2**k for k in range(9)), (0.2, 0.283, 0.4, 0.566)),
                "dynamical_a": Grid(
                    tuple(25 * 2**k for k in range(9)), (0.226, 0.32, 0.453, 0.64, 0.905)
                ),
                "dynamical_b": Grid(_B_LENGTHS, (0.02, 0.04, 0.057, 0.08, 0.113, 0.16, 0.226)),
                "interweaved_gibbs": Grid((5, 7, 15, 30, 60), (0.141, 0.2, 0.283, 0.4, 0.566)),
                "interweaved_a": Grid((7, 15, 30, 60, 120), (0.16, 0.226, 0.32, 0.453, 0.64)),
                "tethered_a": Grid((7, 15, 30, 60, 120), (0.16, 0.2, 0.226, 0.32, 0.453)),
                "estimated_b": Grid((17, 67, 267, 1067), (0.04, 0.08, 0.16, 0.32, 0.64)),
                "collapsed_gibbs": Grid((3, 7, 15, 30, 60), (0.141, 0.2, 0.283, 0.4, 0.566)),
            },
            {
                "gibbs": Grid((25, 50, 100, 200), (0.141, 0.2, 0.283, 0.4)),
                "interweaved_gibbs": Grid((5, 7, 15, 30), (0.1, 0.141, 0.2, 0.283)),
                "collapsed_gibbs": Grid((3, 7, 15, 30), (0.1, 0.141, 0.2, 0.283)),
            },
            MASTER_SAMPLES,
            interweaved_samples=4_000_000,
            repeats=50,
            separations=SEPARATIONS,
            times=5,
            unthinned=100_000,
        ),
    )
}
