"""How much was run, part by part, and what was done in another way than in the paper."""

from collections.abc import Iterator

import pandas as pd

from ..design.budgets import BUDGETS, Budget
from ..design.cold import TEMPERATURES
from ..design.networks import NETWORKS
from ..design.ordinary import LADDER
from ..runs.measuring import ACCEPTANCE
from .of_ladders import ladders_differ, ladders_of, of_ladders, which_images

BEGUN = {"cooling": "cooled", "heating": "heated"}
NONE = "They show that everything runs, and their numbers are not to be compared."


def how_much(run: pd.Series, budget: Budget) -> str:
    """Say how much was run.

    Examples
    --------
    >>> import pandas as pd
    >>> from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.baldock2019.words.amounts import how_much
    >>> print(how_much(pd.Series({"results": 171}), BUDGETS["desk"]).splitlines()[0])
    Budget `desk`, 171 results.
    """
    if ladders_of(budget):
        return of_ladders(run, budget)
    text = f"Budget `{budget.name}`, {int(run['results'])} results."
    if budget.draws < 20:
        text += f" **{NONE}**"
    parts = (_temperatures, _minimised, _exchanged, _bridged, _modes, _cold, _ordinary)
    return "\n".join([f"{text}\n", *(line for part in parts for line in part(budget))])


def _temperatures(budget: Budget) -> Iterator[str]:
    yield (
        f"- Chains that go through temperatures: at each {budget.draws} trajectories of "
        f"{budget.leapfrogs} leapfrog steps after {budget.tune} that do not count. "
        f"{budget.predicting} draws of each chain at each temperature predict the test cases, and "
        f"are what probabilities are averaged over. {'; '.join(_chains(budget))}."
    )


def _chains(budget: Budget) -> Iterator[str]:
    """How many chains each network has, and at how many temperatures."""
    sizes: dict[tuple[str, int], list[str]] = {}
    for sweep in budget.sweeps:
        chains = " and ".join(f"{sweep.chains} {BEGUN[way]}" for way in sweep.directions)
        size = chains, len(sweep.temperatures())
        walls = " between walls that reject" if sweep.walls == "reject" else ""
        title = f"{NETWORKS[sweep.network].title} with {sweep.cases} cases{walls}"
        sizes.setdefault(size, []).append(title)
    for (chains, temperatures), titles in sizes.items():
        yield f"{chains} at {temperatures} temperatures: {', '.join(titles)}"


def _minimised(budget: Budget) -> Iterator[str]:
    each = [
        f"{one.networks} of {NETWORKS[one.network].title} with {one.cases} cases"
        for one in budget.minimised
    ]
    steps = max(one.steps for one in budget.minimised)
    yield f"- Minimised networks, of up to {steps:,} steps: {', '.join(each)}."


def _exchanged(budget: Budget) -> Iterator[str]:
    for one in budget.exchanges:
        yield (
            f"- Replicas that change places: {NETWORKS[one.network].title} with {one.cases} cases "
            f"at {one.temperatures} temperatures, {one.draws} trajectories of each replica after "
            f"{one.tune} that do not count."
        )


def _bridged(budget: Budget) -> Iterator[str]:
    ours, paper = budget.bridges, BUDGETS["paper"].bridges
    if ours is not None and paper is not None:
        yield (
            f"- The bridge: {ours.bridges} distributions of {ours.trajectories} trajectories, "
            f"{ours.chains} chains; the paper has {paper.bridges}, {paper.trajectories} and "
            f"{paper.chains}."
        )


def _modes(budget: Budget) -> Iterator[str]:
    for one in budget.modes[:1]:  # all are of one length
        yield (
            f"- Separate modes: {one.chains} chains alone and {one.ladders} ladders of "
            f"{one.temperatures} temperatures, {one.draws:,} draws after {one.tune:,} of each."
        )


def _cold(budget: Budget) -> Iterator[str]:
    for one in budget.cold[:1]:
        yield (
            f"- Cold posteriors on ordinary tables: {one.splits} splits of each, {one.chains} "
            f"chains at each of {len(TEMPERATURES)} temperatures, {one.draws:,} draws after "
            f"{one.tune:,}."
        )


def _ordinary(budget: Budget) -> Iterator[str]:
    for one in budget.ordinary[:1]:
        yield (
            f"- Exchange on ordinary tables: {len(budget.ordinary)} networks, {one.chains} chains "
            f"alone and {one.chains} ladders of {len(LADDER)} temperatures, {one.seconds:g} "
            "seconds of sampling meant for each."
        )


def what_differs(budget: Budget) -> str:
    """Say what the study does in another way than the paper.

    Examples
    --------
    >>> from pymc_bnn.studies.baldock2019.design.budgets import BUDGETS
    >>> from pymc_bnn.studies.baldock2019.words.amounts import what_differs
    >>> "reflect" in what_differs(BUDGETS["smoke"])
    True
    """
    if ladders_of(budget):
        return ladders_differ(budget)
    return f"""{which_images(budget)}
- Temperatures are fewer than the paper's 112 and 84, and go on above 100 up to the prior, which
  evidence by a ladder needs.
- At each temperature a chain goes on from the one before, from the prior down or from a minimum up.
  The paper's chains change places instead, all from minima; one ladder shows that here.
{_exchanging(budget)}{_minimising(budget)}- Walls reflect, through mirrored coordinates, unless they
  are said to reject.
- Step sizes are learnt in trajectories that do not count, to an acceptance of {ACCEPTANCE:g}, the
  middle of the paper's range; what is reached is said above the rules.
- M(3) has 13 970 weights; the paper says 10 690, which M(1) has.
- The increment of steps in Algorithm 3, 0.05 in the paper, is 0.05 of a first step size that is
  searched for.
- The bridge has fewer distributions, trajectories and chains in budgets other than `paper`; the
  quadratic is fitted within the walls, and each chain has a minimum of its own, within the walls.
- Gradients of trajectories through temperatures and of the ladder are in single precision.
  Energies, by which trajectories are accepted, are in double, as is all else.
- Random numbers are others.
"""


def _exchanging(budget: Budget) -> str:
    """How the ladders differ from that of Fig. 2."""
    each = " and ".join(
        f"{one.cases} cases at {one.temperatures} temperatures" for one in budget.exchanges
    )
    if not each:
        return ""
    return f"""- The ladder of Fig. 2 has 500 cases, 112 temperatures, 10 trajectories between
  attempts to change places, and a minimum for each replica. Here there are
  {each}, one trajectory between attempts, and one minimum for all.
"""


def _minimising(budget: Budget) -> str:
    """How minimised networks differ from the paper's."""
    steps = max(one.steps for one in budget.minimised)
    most = max((one for one in budget.minimised if one.network == "M3"), key=lambda one: one.cases)
    averaged = any(one.networks >= 2 * budget.predicting for one in budget.minimised)
    over = f" Averages over minimised networks are over {budget.predicting} at a time."
    return f"""- Minimised networks have gone up to {steps:,} steps of Algorithm 3, however far from
  a minimum they are then. With {most.cases} cases there are {most.networks} of M(3), not the best
  100 of 4000.{over * averaged}
"""
