"""How much the study runs: that everything does, some minutes' worth, or nearer to the thesis."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    runs, first : int
        Runs of the initial phase, each on a data set of its own, and super-transitions of each.
    leapfrogs : int
        Of a super-transition of the initial phase; of one of the sampling phase 31 times as many.
    errors : int
        Trajectories of a data set whose error in the energy is looked at.
    along : int
        Data sets on which one long trajectory is looked at.
    chains, later : int
        Data sets of the sampling phase, and super-transitions for each length.
    woven : int
        Super-transitions with interweaving.
    sets, gradients : int
        Data sets on which methods are compared, and gradients of each setting.
    decided : int
        More data sets, on which long chains decide what those leave open.
    draws : int
        Functions drawn from each prior; of narrow networks up to 30 times as many.
    widest : int
        Hidden units of the widest network that is fitted.
    fitted : int
        Data sets on which networks of all widths are fitted, and ARD is.
    share : float
        Of the trajectories of these fits.
    folds : int
        Folds of the ten of Boston housing that are left out in turn.
    """

    name: str
    runs: int
    first: int
    leapfrogs: int
    errors: int
    along: int
    chains: int
    later: int
    woven: int
    sets: int
    gradients: int
    decided: int
    draws: int
    widest: int
    fitted: int
    share: float
    folds: int


BUDGETS = {
    budget.name: budget
    for budget in (
        Budget("smoke", 3, 4, 64, 20, 2, 2, 6, 6, 2, 20_000, 2, 100, 64, 2, 0.05, 2),
        Budget("desk", 20, 60, 1024, 600, 20, 2, 50, 30, 4, 500_000, 0, 2000, 1024, 8, 0.75, 5),
        Budget(
            "paper",
            30,
            100,
            1024,
            2000,
            20,
            6,
            200,
            100,
            16,
            1_500_000,
            16,
            20_000,
            1024,
            20,
            2,
            10,
        ),
    )
}
