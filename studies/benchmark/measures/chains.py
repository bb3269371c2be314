"""Time per chain and leapfrog step of many chains, beside that of one."""

from collections.abc import Callable, Iterable
from time import process_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from .... import samplers
from ....models import BNN
from ....samplers.batch.chains import BatchOfChains
from ....samplers.compiled.memory import initial_point
from ....samplers.starts import dispersed_starts
from ..peers.inside_pymc import QUIET
from ..peers.leapfrog_steps import STEP_SIZE
from ..problems import PROBLEMS
from ..targets import by_round, judged
from ..timing import in_turn, seconds_per_call, spreads, whole

MANY = 64
TARGETS = {"a": 0.35, "b": 0.5}  # many chains over one, at most
N_LEAPFROG = 300  # what is recommended
LONG = 10_000  # leapfrog steps beside which nothing else counts
FEW_DRAWS = 100

Timer = Callable[[float], float]


def measure_chains(
    problems: Iterable[str] = TARGETS, repeats: int = 5, seconds: float = 2.0
) -> dict[str, Any]:
    """Time one chain and many chains in turn, on one core.

    Whole calls of :func:`pymc_bnn.samplers.sample` are timed with the recommended 300 leapfrog
    steps per draw, warm-up and the result included; what a call of few draws takes, the same for
    any number of draws, is taken off. The bare kernels have trajectories of 10 000 steps.

    Parameters
    ----------
    problems : iterable of str
        Letters of :data:`.problems.PROBLEMS`.
    repeats : int
        Measurements of each figure, in turn.
    seconds : float
        Time of one measurement, roughly.

    Returns
    -------
    dict
        For each problem ``title``, ``microseconds`` per chain and leapfrog step as median, low
        and high, and the ``ratio`` of many chains to one as of :func:`.targets.judged`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.chains import measure_chains
    >>> measure_chains([])
    {}
    """
    with threadpool_limits(1):
        return {name: _measure(name, repeats, seconds) for name in problems}


def _measure(name: str, repeats: int, seconds: float) -> dict[str, Any]:
    model = PROBLEMS[name].build()
    timers = {
        "one": _sampled(model, 1),
        "many": _sampled(model, MANY),
        "one, kernel": _kernel_of_one(model),
        "many, kernel": _kernel_of_many(model),
    }
    times = in_turn(timers, repeats, seconds)
    return {
        "title": PROBLEMS[name].title,
        "microseconds": spreads(times),
        "ratio": judged(by_round(times["many"], times["one"]), "<=", TARGETS.get(name, 1.0)),
    }


def _sampled(model: BNN, chains: int) -> Timer:
    """Time :func:`pymc_bnn.samplers.sample`."""

    def run(draws: int) -> float:
        # processor time: fixed costs are large, and waiting for others would drown the rest
        begin = process_time()
        idata = samplers.sample(model, draws, draws, chains, cores=1, seed=1, **QUIET)
        whole(idata, chains, draws)
        return process_time() - begin

    run(FEW_DRAWS)
    few = min(run(FEW_DRAWS) for _ in range(3))  # other programs only make it longer
    more = 10 * FEW_DRAWS
    while (elapsed := run(FEW_DRAWS + more) - few) < few / 2:  # by which that may be off
        more *= 10
    rate = elapsed / more

    def timer(seconds: float) -> float:
        more = max(20 * FEW_DRAWS, int(seconds / rate))
        elapsed = run(FEW_DRAWS + more) - few
        return 1e6 * elapsed / (2 * more * chains * N_LEAPFROG)

    return timer


def _kernel_of_one(model: BNN) -> Timer:
    # the same updates as in a batch, which does not integrate the last layer out
    step = samplers.GibbsHMC(LONG, STEP_SIZE, collapse=False, model=model)
    point = initial_point(model)
    return lambda seconds: 1e6 * seconds_per_call(lambda: step.step(point), seconds) / LONG


def _kernel_of_many(model: BNN) -> Timer:
    step = samplers.GibbsHMC(LONG, STEP_SIZE, collapse=False, model=model)
    rng = np.random.default_rng(1)
    batch = BatchOfChains(step, dispersed_starts(model, MANY, rng), rng.spawn(MANY), 0, 1)
    steps = MANY * LONG
    return lambda seconds: 1e6 * seconds_per_call(lambda: list(batch.blocks()), seconds) / steps
