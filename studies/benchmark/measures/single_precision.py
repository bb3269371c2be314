"""Trajectories in single and double precision: time, and the energy that rounding costs."""

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from ....models import BNN
from ....samplers import StaticHMC
from ....samplers.compiled.memory import initial_point
from ....samplers.dynamics.leapfrog import Trajectory, compile_leapfrog
from ....samplers.one_chain import iterate_chain
from ....samplers.potential.conditional import Conditional
from ....samplers.step_sizes.curvature import NealStepSizes
from ..problems import PROBLEMS, Problem
from ..timing import in_turn, seconds_per_call, spreads

BOTH = ("float64", "float32")
WARM_UP = 200  # trajectories before those that are compared
STEP_SCALE = 0.3


def measure_single_precision(
    problems: str = "cde", repeats: int = 5, seconds: float = 1.0, trajectories: int = 100
) -> dict[str, Any]:
    r"""Compare trajectories from the same points with the same momenta, on one core.

    The energy error of a trajectory is :math:`H_\text{end} - H_\text{start}`; both ends are
    evaluated in double precision. Rounding costs :math:`H_d - H_f`, the difference between the
    ends of the trajectories in double and in single precision (Lau 2018, 4.10).

    Parameters
    ----------
    problems : str
        Letters of :data:`.problems.PROBLEMS`.
    repeats : int
        Measurements of the time.
    seconds : float
        Time of one measurement, roughly.
    trajectories : int
        Trajectories that are compared.

    Returns
    -------
    dict
        For each problem ``microseconds`` per leapfrog step by precision as median, low and high,
        ``energy_error``, its root mean square by precision, and ``difference``, the root mean
        square and the largest :math:`|H_d - H_f|`.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.measures.single_precision import measure_single_precision
    >>> measure_single_precision("")
    {}
    """
    with threadpool_limits(1):
        return {name: _measure(PROBLEMS[name], repeats, seconds, trajectories) for name in problems}


def _measure(problem: Problem, repeats: int, seconds: float, trajectories: int) -> dict[str, Any]:
    model = problem.build()
    followers = {precision: Follower(model, precision, problem.n_leapfrog) for precision in BOTH}
    ends: dict[str, list[tuple[float, float]]] = {precision: [] for precision in BOTH}
    step = StaticHMC(n_leapfrog=problem.n_leapfrog, step_scale=STEP_SCALE, model=model)
    rng, start = np.random.default_rng(2), initial_point(model)
    for point, _, tuning in iterate_chain(step, start, 1, tune=WARM_UP, draws=trajectories):
        if not tuning:
            momentum = rng.standard_normal(step.conditional.layout.size)
            for precision in BOTH:
                ends[precision].append(followers[precision].energies(point, momentum))
    timers = {name: follower.timer(point) for name, follower in followers.items()}
    times = in_turn(timers, repeats, seconds)
    start, end = np.array(ends["float64"]).T
    end_single = np.array(ends["float32"])[:, 1]
    apart = abs(end - end_single)
    return {
        "title": problem.title,
        "microseconds": spreads(times),
        "energy_error": {"float64": _rms(end - start), "float32": _rms(end_single - start)},
        "difference": {"rms": _rms(apart), "largest": float(apart.max())},
    }


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))


class Follower:
    """Follow trajectories in one precision.

    Parameters
    ----------
    model : BNN
        A centred network.
    precision : {"float64", "float32"}
        Of the pass through the network.
    n_leapfrog : int
        Leapfrog steps of a trajectory.
    """

    def __init__(self, model: BNN, precision: str, n_leapfrog: int):
        self.n_leapfrog = n_leapfrog
        self.conditional = Conditional(model, model.groups, precision)
        self.unit_step_sizes = NealStepSizes(self.conditional)
        self.rest = self.conditional.compile_rest(gradient=True)
        self.run = compile_leapfrog(self.conditional, self.rest)

    def follow(self, point: dict[str, np.ndarray], momentum: np.ndarray) -> Trajectory:
        """Follow one trajectory."""
        conditional = self.conditional
        parameters = conditional.parameters(point)
        step_sizes = STEP_SCALE * self.unit_step_sizes(parameters)
        arguments = (step_sizes, self.n_leapfrog, parameters.mean, parameters.precision)
        data = conditional.data(self.rest, point, parameters)
        return self.run(conditional.layout.ravel(point), momentum, *arguments, data)

    def energies(self, point: dict[str, np.ndarray], momentum: np.ndarray) -> tuple[float, float]:
        """Hamiltonian at both ends of a trajectory."""
        end = self.follow(point, momentum)
        start = end.initial_potential + 0.5 * momentum @ momentum
        return start, end.final_potential + 0.5 * end.momentum @ end.momentum

    def timer(self, point: dict[str, np.ndarray]) -> Callable[[float], float]:
        """Time a leapfrog step, in microseconds."""
        momentum = np.zeros(self.conditional.layout.size)
        scale = 1e6 / self.n_leapfrog
        return lambda seconds: (
            scale * seconds_per_call(lambda: self.follow(point, momentum), seconds)
        )
