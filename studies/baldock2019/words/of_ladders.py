"""What the page says of ladders that have a replica at every temperature."""

from collections.abc import Iterator

import pandas as pd

from ..design.budgets import Budget
from ..design.images import IMAGES, MOST_SHIPPED
from ..design.networks import NETWORKS
from ..design.sweeps import OTHER_WIDTHS, Ladder, Sweep
from ..runs.measuring import ACCEPTANCE

NUMERALS = {1: "one", 2: "two", 4: "four"}
TITLES = ("temperature and evidence", "all temperatures at once")
DESK = """
This page is of ladders with a replica at every temperature, as the paper has them, whose replicas
one GPU moves together. What else the study runs, and chains that go from temperature to
temperature, are on [the page of the desk](baldock2019.md). *Cooled* ladders are those whose
replicas begin at draws of the prior, *heated* ones those whose replicas begin at a minimum.
"""
LADDERS = """
Ladders with a replica at every temperature, as the paper has them, are on
[a page of their own](baldock2019_gpu.md). It asks the same of errors, of transitions and of the
evidence, with more temperatures and longer runs: what is undecided here may be decided there.
"""


def ladders_of(budget: Budget) -> list[Sweep]:
    """Sweeps whose temperatures are replicas of one ladder."""
    return [sweep for sweep in budget.sweeps if sweep.ladder is not None]


def of_ladders(run: pd.Series, budget: Budget) -> str:
    """Say how much of ladders was run."""
    each = "; ".join(dict.fromkeys(_lengths(budget)))
    return (
        f"Budget `{budget.name}`, {int(run['results'])} results. Ladders of {_counts(budget)}, as "
        f"many from the prior as from a minimum, in trajectories of {budget.leapfrogs} leapfrog "
        f"steps: {each}. {_tested(budget)} draws of each ladder at each temperature predict the "
        "test cases, and are what probabilities are averaged over."
    )


def _counts(budget: Budget) -> str:
    """How many ladders of how many temperatures each network has."""
    by_size: dict[tuple[int, int], list[str]] = {}
    for sweep in ladders_of(budget):
        size = len(sweep.temperatures()), sweep.chains * len(sweep.directions)
        title = f"{NETWORKS[sweep.network].title} with {sweep.cases} cases"
        by_size.setdefault(size, []).append(title)
    return "; ".join(
        f"{temperatures} temperatures, {NUMERALS[ladders]} each of {', '.join(titles)}"
        for (temperatures, ladders), titles in by_size.items()
    )


def _tested(budget: Budget) -> str:
    """How many draws predict, as they are taken at even distances."""
    counts = set()
    for sweep in ladders_of(budget):
        assert sweep.ladder is not None
        every = max(1, sweep.ladder.draws // budget.tested)
        counts.add(len(range(0, sweep.ladder.draws, every)))
    return f"{min(counts)} to {max(counts)}"


def _lengths(budget: Budget) -> Iterator[str]:
    by_length: dict[Ladder, list[Sweep]] = {}
    for sweep in ladders_of(budget):
        assert sweep.ladder is not None
        by_length.setdefault(sweep.ladder, []).append(sweep)
    for ladder, sweeps in by_length.items():
        sizes = " and ".join(str(one) for one in sorted({sweep.cases for sweep in sweeps}))
        others = ", boxes of other widths," if sweeps[0].network in OTHER_WIDTHS else ""
        yield (
            f"with {sizes} training cases{others} {ladder.draws} attempts to swap after "
            f"{ladder.tune} that do not count, with {ladder.trajectories} trajectories of each "
            "replica between two"
        )


def largest_set(budget: Budget) -> int:
    """Cases of the largest training set."""
    return max(sweep.cases for sweep in budget.sweeps)


def which_images(budget: Budget) -> str:
    """Say which of the paper's images are here."""
    largest = largest_set(budget)
    unknown = (
        "  Which images it trains on it does not print; it points to a repository that has their "
        "numbers."
    )
    if largest > MOST_SHIPPED:
        return (
            "- Of the 70 000 images of MNIST training sets of up to "
            f"{MOST_SHIPPED} cases, and their test\n  cases, are among {IMAGES} that ship with a "
            f"dependency; the set of {largest} cases is of all of them.\n{unknown}"
        )
    return (
        f"- The paper has the 70 000 images of MNIST; here are {IMAGES} of them, so that its\n"
        f"  largest training set has {largest} cases instead of 5000, and test cases are the other "
        f"images.\n{unknown}"
    )


def ladders_differ(budget: Budget) -> str:
    """Say what ladders do in another way than the paper."""
    largest = largest_set(budget)
    steps = max(one.steps for one in budget.minimised)
    count = {sweep.network: len(sweep.temperatures()) for sweep in ladders_of(budget)}
    return f"""{which_images(budget)}
- Temperatures of M(3) are 113 between the paper's 0.01 and 100, with 1 in their middle, instead of
  its 112, those of M(3*) 85 instead of its 84; {count["M3"] - 113} and {count["M3star"] - 85} more
  lead up to the prior, which evidence by a ladder needs. Networks in boxes of other widths have
  none below 1.
- Ladders between walls that reject were not run.
- Replicas of a heated ladder begin at one minimum, all of them; the paper's each at a minimum of
  its own. Those of a cooled one begin at draws of the prior.
- Every second pair of neighbours tries to change places, and then the others; the paper tries as
  many pairs at random as there are temperatures.
- Walls reflect, through mirrored coordinates.
- Minimised networks have gone {steps} steps of Algorithm 3, however far from a minimum they are
  then. With {largest} cases they are not the best 100 of 4000.
- Annealing with early stopping is on the page of the desk; here no chain goes from temperature to
  temperature.
- Step sizes are learnt in trajectories that do not count, to an acceptance of {ACCEPTANCE:g}, the
  middle of the paper's range; what is reached is said above the rules.
- M(3) has 13 970 weights; the paper says 10 690, which M(1) has.
- All arithmetic is in double precision.
- Random numbers are others.
"""
