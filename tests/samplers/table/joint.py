"""Draws of parameters and data from a cell's joint distribution, in plain NumPy.

All arrays have the replicates as their first dimension.
"""

from typing import Any

import numpy as np
from pymc_bnn import models
from pymc_bnn.samplers.potential.temperature import current
from scipy.special import expit, log_softmax
from scipy.stats import nbinom, norm, poisson, t

from tests.samplers.table.networks import REPLICATES, Network
from tests.samplers.table.scales import (
    Arrays,
    draw_gamma_precision,
    draw_hyperparameters,
    free,
    prior_scale,
)

Point = Arrays
ACTIVATIONS: dict[str, Any] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0.0),
    "step": lambda x: np.where(x > 0.0, 1.0, -1.0),
}


class Joint:
    r"""The joint distribution of a network's parameters and data, at the model's temperature.

    At inverse temperature :math:`\beta` that is :math:`p(\theta)\, p(y \mid \theta)^\beta`. With
    normal noise of precision :math:`\tau` the targets then have precision :math:`\beta \tau`, and
    the integral over them leaves :math:`\tau^{(\beta - 1) n / 2}` to the prior. Classes can only be
    drawn at temperature 1.
    """

    def __init__(self, network: Network):
        self.network = network
        self.names = [variable.name for variable in network.model.value_vars]

    def set_data(self, data: Point) -> None:
        """Give the model other targets."""
        model: Any = self.network.model
        for name, values in data.items():
            model[name].set_value(values.astype(model[name].dtype), borrow=True)  # a copy

    def draw(self, replicates: int, rng: np.random.Generator) -> tuple[Arrays, Arrays]:
        """Points as the model's value variables, and data as its containers have them."""
        network, hyper = self.network, {}
        for name, prior in network.priors.items():
            hyper |= draw_hyperparameters(prior, network.groups[name], replicates, rng)
        if network.likelihood.noisy:
            given: Any = network.likelihood
            outputs = (replicates, *self.noise_shape())
            added = 0.5 * (self.power - 1.0) * self.targets_of_noise()
            hyper["noise_precision"] = draw_gamma_precision(given, outputs, rng, added)
        if isinstance(network.likelihood, models.NegativeBinomial):
            shape, mean = network.likelihood.alpha / 2, network.likelihood.mean
            hyper["dispersion"] = rng.gamma(shape, mean / shape, size=replicates)
        points = dict(free(name, value) for name, value in hyper.items())
        for name, group in network.groups.items():
            raw = rng.normal(size=(replicates, *group.shape))
            if network.noncentered:
                points[f"{name}_raw"] = raw
            else:
                points[name] = raw * self.scale(name, points)
        return points, {"y": self.draw_targets(points, rng), **self.draw_added(points, rng)}

    @property
    def power(self) -> float:
        """Inverse temperature of the model."""
        return current(self.network.model)

    def targets_of_noise(self) -> int:
        """Targets that share a precision of the noise."""
        model: Any = self.network.model
        targets = model["y"].get_value().size
        return targets // self.noise_shape()[0] if self.noise_shape() else targets

    def noise_shape(self) -> tuple[int, ...]:
        last = list(self.network.groups.values())[-1]
        given: Any = self.network.likelihood
        return last.shape[-1:] if given.per_output else ()

    def scale(self, name: str, points: Arrays) -> np.ndarray:
        """Prior standard deviations of a group, broadcastable to its weights."""
        owner = self.network.owner[name]
        group = self.network.groups[owner]
        return prior_scale(self.network.priors[owner], group, points)

    def weights(self, points: Arrays) -> Arrays:
        """Weights of the network."""
        if not self.network.noncentered:
            return {name: points[name] for name in self.network.groups}
        return {n: points[f"{n}_raw"] * self.scale(n, points) for n in self.network.groups}

    def outputs(self, weights: Arrays) -> np.ndarray:
        """Forward pass, shape (replicates, cases, outputs)."""
        model: Any = self.network.model
        inputs = units = model["X"].get_value()[None]
        layer = 0
        while f"w{layer}" in weights:
            if layer > 0:
                units = ACTIVATIONS[self.network.activation](units)
            units = units @ weights[f"w{layer}"]
            if f"b{layer}" in weights:
                units = units + weights[f"b{layer}"][:, None, :]
            layer += 1
        return units + inputs @ weights["skip"] if "skip" in weights else units

    def noise(self, points: Arrays) -> np.ndarray:
        """Noise precision of each output."""
        precision = np.exp(points["noise_precision_log__"])
        return precision.reshape(len(precision), 1, -1)

    def mean(self, f: np.ndarray) -> np.ndarray:
        """The units of the last layer that are means of targets."""
        doubled = isinstance(self.network.likelihood, models.HeteroscedasticNoise)
        return f[..., : f.shape[-1] // 2] if doubled else f

    def noise_sd(self, f: np.ndarray) -> np.ndarray:
        """Standard deviation of each target's noise, computed by the network."""
        given: Any = self.network.likelihood
        return given.sd * np.exp(given.spread * f[..., f.shape[-1] // 2 :])

    def counts(self, points: Arrays, f: np.ndarray) -> Any:
        """Distribution of targets that are counts."""
        given: Any = self.network.likelihood
        mean = given.rate * np.exp(f)
        if not isinstance(given, models.NegativeBinomial):
            return poisson(mean)
        dispersion = np.exp(points["dispersion_log__"]).reshape(-1, 1, 1)
        return nbinom(dispersion, dispersion / (dispersion + mean))

    def draw_targets(self, points: Arrays, rng: np.random.Generator) -> np.ndarray:
        """Targets given parameters."""
        f, likelihood = self.outputs(self.weights(points)), self.network.likelihood
        if isinstance(likelihood, models.Poisson):
            return self.counts(points, f).rvs(random_state=rng)
        if isinstance(likelihood, models.Bernoulli):
            return (rng.random(f.shape[:2]) < expit(f[..., 0])).astype(np.int64)
        if isinstance(likelihood, models.Categorical):
            return np.argmax(f + rng.gumbel(size=f.shape), axis=-1)
        if isinstance(likelihood, models.StudentTNoise):
            return f + rng.standard_t(likelihood.degrees, f.shape) / np.sqrt(self.noise(points))
        if isinstance(likelihood, models.HeteroscedasticNoise):
            return self.mean(f) + rng.normal(size=self.mean(f).shape) * self.noise_sd(f)
        return f + rng.normal(size=f.shape) / np.sqrt(self.power * self.noise(points))

    def draw_added(self, points: Arrays, rng: np.random.Generator) -> Arrays:
        """Data of the terms that a user added, given parameters."""
        found, model = {}, self.network.model
        if "seen" in model.named_vars:
            w0 = self.weights(points)["w0"]
            found["seen"] = w0 + rng.normal(size=w0.shape)
        if "replicates" in model.named_vars:
            size = (len(found["seen"]), REPLICATES, len(self.network.model.coords["output"]))
            found["replicates"] = rng.normal(size=size) / np.sqrt(self.noise(points))
        return found

    def log_likelihood(self, points: Arrays, f: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Log density of all targets of each replicate."""
        if isinstance(self.network.likelihood, models.Poisson):
            return self.counts(points, f).logpmf(y).sum(axis=(1, 2))
        if isinstance(self.network.likelihood, models.Bernoulli):
            return -np.logaddexp(0.0, np.where(y == 1, -f[..., 0], f[..., 0])).sum(axis=1)
        if isinstance(self.network.likelihood, models.Categorical):
            chosen = np.take_along_axis(log_softmax(f, axis=-1), y[..., None], axis=-1)
            return chosen.sum(axis=(1, 2))
        if isinstance(self.network.likelihood, models.HeteroscedasticNoise):
            return norm.logpdf(y, self.mean(f), self.noise_sd(f)).sum(axis=(1, 2))
        tau = self.noise(points)
        if isinstance(self.network.likelihood, models.StudentTNoise):
            degrees = self.network.likelihood.degrees
            return t.logpdf(y, degrees, f, tau**-0.5).sum(axis=(1, 2))
        return 0.5 * (np.log(tau) - tau * (y - f) ** 2).sum(axis=(1, 2))

    def statistics(self, points: Arrays, data: Arrays) -> Arrays:
        """Functions of parameters and data, bounded or of light tails; shape (replicates,)."""
        weights, found, y = self.weights(points), {}, data["y"]
        for name, value in points.items():
            if name.endswith(("_log__", "_interval__")):
                found[name] = np.tanh(value / 3)
                found[f"{name} squared"] = np.tanh(value / 3) ** 2
        for name, value in weights.items():
            raw = value / self.scale(name, points)
            found[name] = np.tanh(value)
            first = value.reshape(len(value), -1)[:, 0]  # all others are alike to a right step
            found[f"{name} first"] = np.tanh(first)
            found[f"{name} first, size"] = np.log(np.abs(first) + 0.01)
            found[f"{name} size"] = np.log(np.abs(value) + 0.01)
            found[f"{name} squared"] = np.minimum(value**2, 25.0)
            found[f"{name} over its scale, squared"] = np.minimum(raw**2, 25.0)
        f = self.outputs(weights)
        found |= {"f": np.tanh(f), "f squared": np.tanh(f**2)}
        log_likelihood = self.log_likelihood(points, f, y)
        found["log likelihood"] = np.maximum(log_likelihood, -50.0)
        scales = next((value for name, value in points.items() if name.endswith("_log__")), None)
        if scales is not None:
            size = np.tanh(scales.reshape(len(scales), -1).mean(axis=1) / 3)
            found["log likelihood times hyperparameter"] = found["log likelihood"] * size
        if isinstance(self.network.likelihood, models.HeteroscedasticNoise):
            z = (y - self.mean(f)) / self.noise_sd(f)
            found |= {"residuals": np.minimum(z**2, 25.0), "products": np.tanh(y * self.mean(f))}
        if isinstance(self.network.likelihood, models.Poisson):
            mean = self.network.likelihood.rate * np.exp(f)
            found["residuals"] = np.minimum((y - mean) ** 2 / mean, 25.0)
            found["products"] = np.tanh(y * f / 5)
        if self.network.likelihood.noisy:
            found["residuals"] = np.minimum(self.noise(points) * (y - f) ** 2, 25.0)
            found["products"] = np.tanh(y * f)
        if "seen" in data:
            found["seen"] = np.minimum((data["seen"] - weights["w0"]) ** 2, 25.0)
        if "replicates" in data:
            squares = self.noise(points) * data["replicates"] ** 2
            found["replicates"] = np.minimum(squares, 25.0)
        return {k: v.reshape(len(v), -1).mean(axis=1) for k, v in found.items()}
