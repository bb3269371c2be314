"""Geweke's (2004) joint distribution test of a step method.

Parameters and data are drawn from their joint distribution in two ways: from the prior, and by a
chain that alternates the step under test with fresh data given its parameters. Any function of
the parameters has the same mean under both, if and only if the step leaves the posterior of every
data set invariant.
"""

from collections.abc import Sequence
from typing import Any

import arviz as az
import numpy as np
from pymc_bnn import models
from pymc_bnn.samplers.pymc_steps import BlockedStep

WIDEST = 4.5  # false alarms below 1 in 1000 for a hundred statistics


def tiny_network(
    prior: models.Prior | dict[str, models.Prior] | None = None,
    parametrization: str = "centered",
    units: int = 2,
) -> models.BNN:
    """Network of 1-2-1 units on 4 cases, with priors light-tailed enough to have moments."""
    return models.BNN(
        np.array([[-1.5], [-0.4], [0.3], [1.2]]),
        np.zeros(4),
        hidden=(units,),
        prior=prior or models.NormalInverseGamma(sd=1.0, alpha=6.0),
        likelihood=models.GaussianNoise(sd=0.5, alpha=8.0),
        parametrization=parametrization,
    )


def outputs(model: models.BNN, weights: dict[str, np.ndarray]) -> np.ndarray:
    """Forward pass in plain NumPy."""
    hidden = np.tanh(model["X"].get_value() @ weights["w0"] + weights["b0"])
    return hidden @ weights["w1"] + weights["b1"]


def statistics(point: dict[str, np.ndarray], model: models.BNN) -> dict[str, float]:
    """Functions of the parameters whose means are compared; bounded, or of light tails."""
    values = {}
    for name, value in point.items():
        if name.endswith("_log__"):
            values[name] = value.mean()
            values[f"{name} squared"] = (value**2).mean()
        else:
            values[name] = np.tanh(value).mean()
            values[f"{name} squared"] = np.minimum(value**2, 25.0).mean()
            values[f"{name} size"] = np.log(np.abs(value) + 0.01).mean()
            if name in model.groups:
                raw = value / scale_of(name, model, point)
                values[f"{name} over its scale, squared"] = np.minimum(raw**2, 25.0).mean()
    if "w0" in point:
        f = outputs(model, point)
        values |= {"f": np.tanh(f).mean(), "f squared": np.tanh(f**2).mean()}
    return {name: float(value) for name, value in values.items()}


def scale_of(
    group: str, model: models.BNN, point: dict[str, np.ndarray]
) -> np.ndarray | np.float64:
    """Prior standard deviation of a group of weights, broadcastable to its shape."""
    local, shared = point.get(f"{group}_local_precision_log__"), 0.0
    if local is not None:
        shared = point[f"{group}_global_precision_log__"]
    logs = point[f"{group}_precision_log__"] if local is None else local
    scale = np.exp(-0.5 * (shared + logs))
    by_source = scale.ndim == 1 and len(model.groups[group].shape) == 2
    return scale[:, None] if by_source else scale


def log_gammas(name: str, model: models.BNN, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw the logarithms of a conjugate horseshoe's precisions and rates."""
    logs = {}
    for part in (f"{name}_global", f"{name}_local"):
        dims = model.named_vars_to_dims.get(part, ())
        shape = [len(model.coords[dim]) for dim in dims]
        rate = rng.gamma(0.5, size=shape)
        logs[f"{part}_rate_log__"] = np.log(rate)
        logs[f"{part}_precision_log__"] = np.log(rng.gamma(0.5, size=shape) / rate)
    return logs


def prior_point(model: models.BNN, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Draw all free variables from a prior of gamma precisions and normal weights."""
    point: dict[str, Any] = {}
    noise = {"noise": model.likelihood} if model.likelihood.hyperparameters else {}
    gammas: dict[str, Any] = {**noise, **model.priors}
    for name, prior in gammas.items():
        if isinstance(prior, models.ConjugateHorseshoe):
            point |= log_gammas(name, model, rng)
            continue
        dims = model.named_vars_to_dims.get(f"{name}_precision", ())
        shape = [len(model.coords[dim]) for dim in dims]
        draws = rng.gamma(prior.alpha / 2, 2 * prior.sd**-2 / prior.alpha, size=shape)
        point[f"{name}_precision_log__"] = np.log(draws)
    for name, group in model.groups.items():
        centered = model.parametrization == "centered"
        scale = scale_of(name, model, point) if centered else np.float64(1)
        point[model.free_name(name)] = rng.normal(size=group.shape) * scale
    return {variable.name: np.asarray(point[variable.name]) for variable in model.value_vars}


def new_targets(
    model: models.BNN, point: dict[str, np.ndarray], rng: np.random.Generator
) -> np.ndarray:
    """Draw targets given parameters."""
    weights = {name: point[model.free_name(name)] for name in model.groups}
    if model.parametrization == "noncentered":
        weights = {name: w * scale_of(name, model, point) for name, w in weights.items()}
    f = outputs(model, weights)
    return f + rng.normal(size=f.shape) * np.exp(-0.5 * point["noise_precision_log__"])


def set_up(steps: Sequence[BlockedStep], iterations: int, rng: np.random.Generator) -> None:
    """Begin a chain of each step, after warm-up."""
    for step, child in zip(steps, rng.spawn(len(steps)), strict=True):
        step.setup_chain(child, tune=0, draws=iterations)
        step.stop_tuning()


def z_scores_of_one_iteration(
    model: models.BNN, steps: Sequence[BlockedStep], iterations: int, seed: int
) -> dict[str, float]:
    """Standardised mean changes from parameters and data drawn jointly, for each statistic.

    No chain has to mix here, which heavy tails would make it do slowly.
    """
    rng, data_rng = np.random.default_rng(seed).spawn(2)
    set_up(steps, iterations, rng)
    changes = []
    targets = model["y"].get_value()
    for _ in range(iterations):
        point = prior_point(model, data_rng)
        before = statistics(point, model)
        model["y"].set_value(new_targets(model, point, data_rng))
        for step in steps:
            point, _ = step.step(point)
        after = statistics(point, model)
        changes.append([after[name] - value for name, value in before.items()])
    model["y"].set_value(targets)
    mean, sd = np.mean(changes, axis=0), np.std(changes, axis=0)
    return dict(zip(before, mean / sd * np.sqrt(iterations), strict=True))


def z_scores(
    model: models.BNN, steps: Sequence[BlockedStep], iterations: int, seed: int
) -> dict[str, float]:
    """Standardised differences between the two ways, for each statistic."""
    rng, data_rng = np.random.default_rng(seed).spawn(2)
    from_prior = [statistics(prior_point(model, data_rng), model) for _ in range(iterations)]
    set_up(steps, iterations, rng)
    point, chain = prior_point(model, data_rng), []
    targets = model["y"].get_value()
    for _ in range(iterations):
        model["y"].set_value(new_targets(model, point, data_rng))
        for step in steps:
            point, _ = step.step(point)
        chain.append(statistics(point, model))
    model["y"].set_value(targets)
    scores = {}
    for name in chain[0]:
        a = np.array([values[name] for values in from_prior])
        b = np.array([values[name] for values in chain])
        error = np.hypot(a.std() / np.sqrt(a.size), float(az.mcse(b[None], method="mean")))
        scores[name] = (b.mean() - a.mean()) / error
    return scores
