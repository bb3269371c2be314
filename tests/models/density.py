"""A network's log density from NumPy and SciPy alone, straight from the equations."""

from collections.abc import Mapping

import numpy as np
from pymc_bnn import models
from scipy import special, stats

Values = Mapping[str, np.ndarray]

SHAPES = {
    "tanh": np.tanh,
    "logistic": special.expit,
    "relu": lambda g: np.where(g > 0, g, 0.0),
    "softplus": lambda g: np.log1p(np.exp(-abs(g))) + np.maximum(g, 0),
    "identity": lambda g: g,
    "step": lambda g: np.where(g > 0, 1.0, -1.0),
}


def gamma_logpdf(precision: np.ndarray, sd: float, alpha: float) -> float:
    """Gamma density of mean ``sd**-2`` and shape ``alpha / 2``."""
    shape = alpha / 2
    return float(stats.gamma.logpdf(precision, shape, scale=sd**-2 / shape).sum())


def half_cauchy_parts(values: Values, name: str) -> tuple[np.ndarray, float]:
    """Return the half-Cauchy variable and the log density of its two factors."""
    normal, variance = values[f"{name}_normal"], values[f"{name}_variance"]
    density = (
        stats.halfnorm.logpdf(normal).sum() + stats.invgamma.logpdf(variance, 0.5, scale=0.5).sum()
    )
    return normal * np.sqrt(variance), float(density)


def conjugate_half_cauchy_parts(values: Values, name: str) -> tuple[np.ndarray, float]:
    """Return the half-Cauchy variable and the log density of its precision and their rate."""
    precision, rate = values[f"{name}_precision"], values[f"{name}_rate"]
    density = stats.gamma.logpdf(precision, 0.5, scale=1 / rate) + stats.gamma.logpdf(rate, 0.5)
    return precision**-0.5, float(density.sum())


def prior_scale(
    prior: models.Prior, group: str, fan_in: int, values: Values
) -> tuple[np.ndarray | float, float]:
    """Return the standard deviation of a group and the log density of its hyperparameters."""
    match prior:
        case models.Gaussian(sd=sd):
            return sd, 0.0
        case models.Scaled():
            return 1 / np.sqrt(fan_in), 0.0
        case models.NormalInverseGamma(sd=sd, alpha=alpha):
            precision = values[f"{group}_precision"]
            return precision**-0.5, gamma_logpdf(precision, sd, alpha)
        case models.ARD(sd=sd, alpha=alpha, by=by):
            precision = values[f"{group}_precision"]
            per_row = group.startswith("w") and by == "source"
            scale = (precision[:, None] if per_row else precision) ** -0.5
            return scale, gamma_logpdf(precision, sd, alpha)
    parts = (
        conjugate_half_cauchy_parts
        if isinstance(prior, models.ConjugateHorseshoe)
        else half_cauchy_parts
    )
    tau, density = parts(values, f"{group}_global")
    local, local_density = parts(values, f"{group}_local")
    density += local_density
    if group.startswith("w") and prior.ard and prior.by == "source":
        local = local[:, None]
    if not isinstance(prior, models.RegularizedHorseshoe):
        return tau * local, density
    slab = values[f"{group}_slab_variance"]
    density += float(stats.invgamma.logpdf(slab, 2, scale=8))
    regularized = slab * local**2 / (slab + tau**2 * local**2)
    return tau * np.sqrt(regularized), density


def target_log_density(model: models.BNN, f: np.ndarray, y: np.ndarray, values: Values) -> float:
    """Log density of the targets given the network's outputs."""
    match model.likelihood:
        case models.GaussianNoise(sd=sd, alpha=alpha):
            precision = values["noise_precision"]
            density = stats.norm.logpdf(y, f, precision**-0.5).sum()
            return float(density) + gamma_logpdf(precision, sd, alpha)
        case models.Bernoulli():
            return float(stats.bernoulli.logpmf(y, special.expit(f[:, 0])).sum())
    probability = special.softmax(f, axis=1)
    return float(np.log(probability[np.arange(len(y)), y]).sum())


def log_density(model: models.BNN, X: np.ndarray, y: np.ndarray, values: Values) -> float:
    """Log of prior times likelihood at given values of the free variables."""
    total, units = 0.0, X
    for i in range(len(model.hidden) + 1):
        fan_in = units.shape[1]
        weights = {}
        for group in [f"w{i}"] + [f"b{i}"] * model.biases:
            scale, density = prior_scale(model.priors[group], group, fan_in, values)
            total += density
            if model.parametrization == "centered":
                weights[group] = values[group]
                total += float(stats.norm.logpdf(values[group], 0, scale).sum())
            else:
                weights[group] = values[f"{group}_raw"] * scale
                total += float(stats.norm.logpdf(values[f"{group}_raw"]).sum())
        units = units @ weights[f"w{i}"] + weights.get(f"b{i}", 0.0)
        if i < len(model.hidden):
            units = SHAPES[model.activation.name](units)
    return total + target_log_density(model, units, y, values)
