"""How much the study runs: to see that all does, for minutes, an hour, or as long as the report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """What a run of the study consists of.

    Parameters
    ----------
    name : str
        Its name.
    runs : int
        Of each cell of experiment 1, the same seeds in all cells.
    share : float
        Of the iterations of the report's schedules.
    leapfrogs : int
        Of a trajectory.
    along : int
        Runs of the report's network that are cooled and heated to measure its evidence.
    cells : int, optional
        Cells of each grid; by default all.
    metropolis : int
        Runs of each cell of the Metropolis algorithm.
    cooled : int
        Runs of experiment 2, over the data sets in turn.
    sets : int
        Data sets that the recommended sampler fits.
    starts : int
        Its short chains on each.
    small : int
        Its chains on each with eight units.
    draws : int
        Draws of a chain, and trajectories of its warm-up.
    few : int
        Data sets of the report's model by the recommended sampler and of weights of a fixed scale.
    integrators : int
        Data sets on which integrators are compared.
    approximated : int
        Data sets of the variational approximations.
    steps : int
        Of their ascents: at each rate four times as many, at most.
    modes : int
        Starts of the Gaussian approximation on each of the data sets.
    believed : int
        Data sets on which priors are compared.
    ladder : int
        Draws and warm-up of the ladders that measure their evidence; bridges are longer.
    """

    name: str
    runs: int
    share: float
    leapfrogs: int
    metropolis: int
    cooled: int
    sets: int
    starts: int
    small: int
    draws: int
    few: int
    integrators: int
    approximated: int
    steps: int
    modes: int
    believed: int
    ladder: int
    along: int
    cells: int | None = None


BUDGETS = {
    budget.name: budget
    for budget in (
        Budget("smoke", 2, 0.1, 10, 1, 2, 2, 2, 2, 20, 1, 2, 1, 200, 1, 1, 20, 3, cells=2),
        Budget("desk", 5, 1.0, 1000, 2, 6, 8, 5, 1, 1000, 2, 3, 1, 2_000, 2, 2, 100, 4),
        Budget("paper", 100, 1.0, 1000, 5, 100, 20, 5, 5, 1000, 20, 20, 20, 10_000, 2, 20, 250, 4),
    )
}
