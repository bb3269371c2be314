"""What tests of JAX run in a process of their own, as none may be forked from one where JAX ran."""

import logging
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.models.priors.reflection import Reflected
from pymc_bnn.samplers.tempering.together import energies
from pymc_bnn.samplers.tempering.together.step import ReplicasTogether
from pymc_bnn.samplers.tempering.together.trajectories import compile_trajectories

QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
DESIGN = np.array([[1.0, 0.2], [0.3, -0.7], [0.9, 1.1], [-0.4, 0.8]])
TARGETS = np.array([0.9, -0.1, 1.7, 0.2])
INVERSE = np.array([1.0, 0.25, 0.0])


def linear() -> pm.Model:
    """Normal weights, normal noise."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, [1.0, 0.5], shape=2)
        pm.Normal("y", (DESIGN * x).sum(axis=1), 0.7, observed=TARGETS)
    return model


def walls(kind: str) -> pm.Model:
    """One weight between walls at -1 and 1, with a normal likelihood."""
    with pm.Model() as model:
        fold = Reflected(-1.0, 1.0) if kind == "reflect" else None
        x = pm.Uniform("x", -1, 1, default_transform=fold)
        pm.Normal("y", x, 0.5, observed=0.8)
    return model


def shape() -> pm.Model:
    """The shape of a gamma distribution, which has no density below zero."""
    with pm.Model() as model:
        x = pm.Normal("x", 0.5, 1.0)
        pm.Gamma("y", x, 1.0, observed=0.7)
    return model


def two_modes() -> pm.Model:
    """A mode on either side of zero, the positive one more probable."""
    with pm.Model() as model:
        x = pm.Normal("x", 1.5, 3.0)
        pm.Normal("y", abs(x), 0.3, observed=3.0)
    return model


def network() -> models.BNN:
    """A small network with noise and scales that are learnt."""
    X = np.linspace(-1, 1, 12)[:, None]
    return models.normal_inverse_gamma(X, np.sin(3 * X[:, 0]), hidden=(3,))


def many() -> pm.Model:
    """Forty independent normal weights of which each is measured."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, np.linspace(1, 2, 40), shape=40)
        pm.Normal("y", x, 1.0, observed=np.zeros(40))
    return model


def lkj() -> pm.Model:
    """A covariance, whose transform PyMC takes no start of."""
    with pm.Model() as model:
        spread = pm.Exponential.dist(1.0, shape=2)
        cholesky, _, _ = pm.LKJCholeskyCov("chol", n=2, eta=2, sd_dist=spread)
        pm.MvNormal("y", np.zeros(2), chol=cholesky, observed=np.eye(2))
    return model


def far() -> pm.Model:
    """A model without density near its initial point."""
    with pm.Model() as model:
        x = pm.Normal("x", 0, 100)
        pm.Uniform("y", x, x + 1, observed=50.5)
    return model


MODELS = {
    "far": far,
    "many": many,
    "linear": linear,
    "reflect": lambda: walls("reflect"),
    "reject": lambda: walls("reject"),
    "shape": shape,
    "two modes": two_modes,
    "network": network,
}


def run(name: str, **options: Any) -> dict[str, xr.Dataset]:
    """Sample a model, and return the groups."""
    idata = samplers.sample(MODELS[name](), backend="jax", **{**QUIET, **options})
    return {key: group.to_dataset() for key, group in idata.children.items()}


def evidence() -> tuple[float, float]:
    """Log evidence of the linear model, and its standard error."""
    length: dict[str, Any] = {"draws": 1000, "chains": 2, "n_leapfrog": 10}
    found = samplers.evidence(linear(), seed=1, backend="jax", **length, **QUIET)
    return found.log_evidence, found.standard_error


def invariance(count: int, iterations: int) -> np.ndarray:
    """Weights and a scale after some iterations from draws of the joint distribution.

    Returns
    -------
    ndarray, shape (count, 6)
        The last two are the sum of squared residuals, in units of the noise, and the acceptance.
    """
    X = np.linspace(-1, 1, 5)
    rng = np.random.default_rng(3)
    with pm.Model() as model:
        data = pm.Data("data", np.zeros(5))
        log_noise = pm.Normal("log_noise", -0.5, 0.4)
        w = pm.Normal("w", 0, 1, shape=3)
        mean = w[0] * pm.math.tanh(w[1] * X + w[2])
        pm.Normal("y", mean, pm.math.exp(log_noise), observed=data)
    # so long that half of the trajectories is rejected
    step = ReplicasTogether([1.0], iterations, 8, step_scale=0.3, metric="unit", model=model)
    found = []
    for _ in range(count):
        weights, log = rng.normal(size=3), rng.normal(-0.5, 0.4)
        mean = weights[0] * np.tanh(weights[1] * X + weights[2])
        targets = mean + np.exp(log) * rng.normal(size=5)
        model.set_data("data", targets)
        step.setup_chain(rng, 0, 1)
        step.stop_tuning()
        point, [statistics] = step.step({"w": weights, "log_noise": np.array(log)})
        first, second, third = point["w"]
        misfit = targets - first * np.tanh(second * X + third)
        squares = np.sum((misfit / np.exp(point["log_noise"])) ** 2)
        found.append([*point["w"], point["log_noise"], squares, statistics["acceptance_rate"]])
    return np.array(found)


def path(steps: int, step_size: float) -> tuple[np.ndarray, ...]:
    """Where replicas of the linear model begin, with which momenta, and where they end."""
    import jax

    model = linear()
    found = energies.jax_energies(model)
    run = compile_trajectories(found, np.zeros(2), np.full(2, np.inf))
    begin = np.array([[0.1, 0.2], [-0.5, 0.3], [1.0, -1.0]])
    sizes = np.full((3, 1), step_size)
    moved = run(7, 2, begin, INVERSE, sizes, steps, *found.data())
    key, _ = jax.random.split(jax.random.fold_in(jax.random.key(7), 2))
    momenta = jax.random.normal(key, begin.shape, begin.dtype)
    found_at = moved.position, moved.error, moved.acceptance
    return tuple(np.asarray(v) for v in (begin, momenta, *found_at))


def goes_on() -> tuple[np.ndarray, np.ndarray]:
    """Draws of a ladder, and the same from a saved state on."""
    steps = [ReplicasTogether([1, 2, 4], n_leapfrog=5, model=linear()) for _ in range(2)]
    for step in steps:
        step.setup_chain(np.random.default_rng(5), 20, 20)
    point: dict[str, Any] = {"x": np.zeros(2)}
    for _ in range(10):
        point, _ = steps[0].step(point)
    steps[1].sampling_state = steps[0].sampling_state
    found = []
    for step in steps:
        here, values = point, []
        for _ in range(5):
            here, [statistics] = step.step(here)
            values.append(statistics["tempered_values"])
        found.append(np.array(values))
    return found[0], found[1]


def disagrees(part: int) -> str:
    """Message where one of the four functions that JAX computes is off."""
    translated = energies._translated

    def wrong(model: pm.Model) -> energies.Energies:
        right = translated(model)

        def evaluate(*arguments: Any) -> tuple:
            found = list(right.evaluate(*arguments))
            found[part] = found[part] * 1.001 + 0.001
            return tuple(found)

        return right._replace(evaluate=evaluate)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(energies, "_translated", wrong)
        try:
            energies.jax_energies(linear())
        except RuntimeError as error:
            return f"{type(error).__name__}: {error}"
    return "no error"


def in_single_precision() -> list[str]:
    """What is said where JAX is set to single precision, of a new model and of one seen before."""
    import jax

    model, said = linear(), []
    energies.jax_energies(model)
    jax.config.update("jax_enable_x64", False)
    for one in (model, linear()):
        try:
            samplers.sample(one, backend="jax", draws=5, tune=5, chains=1, **QUIET)
        except ValueError as error:
            said.append(str(error))
    jax.config.update("jax_enable_x64", True)
    return said


def forked() -> str:
    """What a chain says in a process that is forked from one where JAX has run."""
    step = ReplicasTogether([1.0, 2.0], model=linear())
    step._process = -1
    try:
        step.setup_chain(np.random.default_rng(1), 1, 1)
    except ValueError as error:
        return str(error)
    return "no error"


def afterwards() -> list[str]:
    """What is logged of several chains by default, once JAX has run."""
    run("linear", draws=5, tune=5, chains=1, seed=1)
    said: list[str] = []
    logger, handler = logging.getLogger("pymc"), logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logger.addHandler(handler)
    samplers.sample(linear(), draws=5, tune=5, chains=2, seed=1, progressbar=False)
    logger.removeHandler(handler)
    return said
