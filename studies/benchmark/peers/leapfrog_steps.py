"""Ways to take a leapfrog step: ours, a hand-written loop, PyMC's, nutpie's, and a scan.

Each is made for a problem and its model; calling it with the seconds to run for returns
microseconds per leapfrog step, or per gradient for nutpie. PyMC's own sampler and nutpie run on the
network as written in PyMC's own operations, and on our model with its fused layers.
"""

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from types import ModuleType

import numpy as np
import pymc as pm

from ....models import BNN, Categorical, GaussianNoise
from ....samplers import GibbsHMC, StaticHMC
from ....samplers.compiled.memory import initial_point
from ....samplers.dynamics.leapfrog import scan_leapfrog
from ....samplers.potential.conditional import Conditional
from ..problems import Problem
from ..timing import seconds_per_call
from . import floor
from .inside_pymc import InsidePyMC
from .plain import plain_model

Timer = Callable[[float], float]
Peer = Callable[[Problem, BNN], Timer]
FEW_DRAWS = 20
STEP_SIZE = 1e-4  # where it does not matter: short steps keep the energy finite


def ours(model: BNN, n_leapfrog: int, thin: int = 1) -> InsidePyMC:
    """Time our trajectories, after Gibbs draws of the precisions if there are any.

    Interweaving, whose passes through the network are not leapfrog steps, is left out.

    Parameters
    ----------
    model : BNN
        The model.
    n_leapfrog : int
        Leapfrog steps per trajectory.
    thin : int
        Trajectories per recorded draw, where there are precisions.

    Returns
    -------
    callable

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.benchmark.peers.leapfrog_steps import ours
    >>> model = models.gaussian(np.eye(4), np.arange(4) % 3, (4,), likelihood="categorical")
    >>> ours(model, n_leapfrog=100)(seconds=0.01) > 0
    True
    """
    if len(model.value_vars) > len(model.groups):
        step = GibbsHMC(n_leapfrog=n_leapfrog, thin=thin, interweave=False, model=model)
        return InsidePyMC(model, [step])
    return InsidePyMC(model, [StaticHMC(n_leapfrog=n_leapfrog, model=model)])


def _pymcs(model: pm.Model, n_leapfrog: int) -> InsidePyMC:
    """Time ``pm.HamiltonianMC``, which moves the precisions along with the weights."""
    with model:
        step = pm.HamiltonianMC(
            path_length=1e9, max_steps=n_leapfrog, adapt_step_size=False, step_scale=STEP_SIZE
        )
    return InsidePyMC(model, [step])


def _nutpies(model: pm.Model, n_leapfrog: int) -> Timer:
    """Time nutpie per gradient, less the time of a run of a few draws."""
    nutpie = import_nutpie()
    compiled = nutpie.compile_pymc_model(model)
    depth = max(1, int(np.log2(n_leapfrog)))
    options = {"chains": 1, "cores": 1, "progress_bar": False, "seed": 1, "maxdepth": depth}

    def run(draws: int) -> np.ndarray:
        begin = perf_counter()
        idata = nutpie.sample(compiled, draws=draws, tune=draws, **options)
        elapsed = perf_counter() - begin
        stats = (idata[group]["n_steps"] for group in ("sample_stats", "warmup_sample_stats"))
        return np.array([elapsed, sum(float(n_steps.sum()) for n_steps in stats)])

    run(FEW_DRAWS)

    def timer(seconds: float) -> float:
        few = run(FEW_DRAWS)
        more = run(5 * FEW_DRAWS) - few
        draws = FEW_DRAWS + int(4 * FEW_DRAWS * np.clip(seconds / max(more[0], 1e-4), 1, 1000))
        elapsed, gradients = run(draws) - few
        return float(1e6 * elapsed / gradients)

    return timer


def _scans(model: BNN, n_leapfrog: int) -> Timer:
    """Time the trajectory that PyTensor's public API alone can build."""
    conditional = Conditional(model, model.groups)
    point = initial_point(model)
    parameters = conditional.parameters(point)
    held = tuple(np.asarray(point[variable.name]) for variable in conditional.held)
    q, p, step_sizes = _start(conditional.layout.size)
    run = partial(scan_leapfrog(conditional), q, p, step_sizes, n_leapfrog)
    call = partial(run, parameters.mean, parameters.precision, held)
    return lambda seconds: 1e6 * seconds_per_call(call, seconds) / n_leapfrog


def _floors(model: BNN, n_leapfrog: int) -> Timer:
    """Time the hand-written loop for the model's network."""
    energy, workspace, data = floor_of(model)
    q, p, step_sizes = _start(data[-1].size)
    run = partial(floor.leapfrog(energy), q, p, step_sizes)
    call = partial(run, n_leapfrog, np.empty(q.size), workspace, data)
    return lambda seconds: 1e6 * seconds_per_call(call, seconds) / n_leapfrog


def floor_of(
    model: BNN, point: Mapping[str, np.ndarray] | None = None
) -> tuple[Callable, tuple, tuple]:
    """Hand-written energy of a network, with room for it and its data.

    Parameters
    ----------
    model : BNN
        A tanh network with biases: Gaussian noise after one hidden layer, or several classes.
    point : mapping of ndarray, optional
        Point whose precisions hold; by default the initial one.

    Returns
    -------
    energy, workspace, data
        See :mod:`.floor`.

    Raises
    ------
    ValueError
        If none is written for such a network.

    Examples
    --------
    >>> import numpy as np
    >>> from pymc_bnn import models
    >>> from pymc_bnn.studies.benchmark.peers.leapfrog_steps import floor_of
    >>> energy, workspace, data = floor_of(models.gaussian(np.eye(3), np.arange(3.0), (2,)))
    >>> round(energy(np.zeros(11), np.empty(11), workspace, data) / data[2], 9)
    2.5
    """
    conditional = Conditional(model, model.groups)
    parameters = conditional.parameters(point or initial_point(model))
    sizes = [len(model.inputs), *model.hidden, len(model.outputs)]
    X, y = (model[name].get_value() for name in ("X", "y"))
    cases, X = len(X), np.ascontiguousarray(X.T)
    if type(model.likelihood) is Categorical:
        room = np.empty(sum(sizes[1:]) * cases), np.empty((2, max(sizes[1:]) * cases))
        data = X, np.asarray(y, dtype=np.int64), np.array(sizes), parameters.precision
        return floor.classifier, room, data
    if type(model.likelihood) is GaussianNoise and len(model.hidden) == 1:
        inputs, hidden, outputs = sizes
        rooms = np.empty((hidden, cases)), np.empty((outputs, cases)), np.empty(cases)
        noise = float(parameters.curvature[0])
        targets = np.ascontiguousarray(y.T)
        kernel = floor.regression(inputs, hidden, outputs, cases)
        return kernel, rooms, (X, targets, noise, parameters.precision)
    raise ValueError("there is no hand-written loop for such a network.")


def _start(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return 0.1 * rng.standard_normal(size), rng.standard_normal(size), np.full(size, STEP_SIZE)


def import_nutpie() -> ModuleType:
    """Import nutpie, or say in one line what to do.

    Returns
    -------
    module

    Raises
    ------
    SystemExit
        If it is not installed.

    Examples
    --------
    >>> from pymc_bnn.studies.benchmark.peers.leapfrog_steps import import_nutpie
    >>> import_nutpie().__name__
    'nutpie'
    """
    try:
        import nutpie
    except ImportError:
        raise SystemExit("The benchmark compares with nutpie: pip install nutpie.") from None
    return nutpie


PEERS: dict[str, Peer] = {
    "ours": lambda problem, model: ours(model, problem.n_leapfrog, problem.thin),
    "floor": lambda problem, model: _floors(model, problem.n_leapfrog),
    "pm.HamiltonianMC": lambda problem, model: _pymcs(plain_model(model), problem.n_leapfrog),
    "nutpie": lambda problem, model: _nutpies(plain_model(model), problem.n_leapfrog),
    "pm.HamiltonianMC, our layers": lambda problem, model: _pymcs(model, problem.n_leapfrog),
    "nutpie, our layers": lambda problem, model: _nutpies(model, problem.n_leapfrog),
    "scan": lambda problem, model: _scans(model, problem.n_leapfrog),
}
