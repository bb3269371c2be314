"""Scales of a prior, drawn in plain NumPy."""

from typing import Any

import numpy as np
from pymc_bnn import models
from pymc_bnn.models.priors.base import Group
from scipy.special import expit, logit

Arrays = dict[str, np.ndarray]


def draw_gamma_precision(
    prior: Any, shape: tuple[int, ...], rng: np.random.Generator, added: float = 0.0
) -> np.ndarray:
    """Precisions of mean ``sd**-2`` and shape ``alpha / 2`` (Choo 2000, Eq. 3.7), or more."""
    return rng.gamma(prior.alpha / 2 + added, 2 * prior.sd**-2 / prior.alpha, size=shape)


def draw_hyperparameters(
    prior: models.Prior, group: Group, replicates: int, rng: np.random.Generator
) -> Arrays:
    """Hyperparameters of a group by name, on their natural scale."""
    name, found = group.name, {}
    if isinstance(prior, models.NormalInverseGamma | models.ARD):
        shape = of_units(prior, group) or ()
        return {f"{name}_precision": draw_gamma_precision(prior, (replicates, *shape), rng)}
    if isinstance(prior, models.StudentT):
        half = prior.degrees / 2
        found[f"{name}_precision"] = draw_gamma_precision(prior, (replicates,), rng)
        found[f"{name}_local_precision"] = rng.gamma(half, 1 / half, (replicates, *group.shape))
        return found
    if isinstance(prior, models.Stable):
        size = (replicates, *group.shape)
        return {
            f"{name}_angle": rng.uniform(0.0, np.pi, size),
            f"{name}_waiting": rng.exponential(size=size),
        }
    local_shape = of_units(prior, group) or group.shape
    if isinstance(prior, models.Horseshoe | models.RegularizedHorseshoe):
        for part, shape in (("global", ()), ("local", local_shape)):
            size = (replicates, *shape)
            found[f"{name}_{part}_normal"] = np.abs(rng.normal(size=size))
            found[f"{name}_{part}_variance"] = 0.5 / rng.gamma(0.5, size=size)
    if isinstance(prior, models.RegularizedHorseshoe):
        found[f"{name}_slab_variance"] = 8 / rng.gamma(2.0, size=replicates)
    if isinstance(prior, models.ConjugateHorseshoe):
        for part, shape in (("global", ()), ("local", local_shape)):
            rate = rng.gamma(0.5, size=(replicates, *shape))
            found[f"{name}_{part}_rate"] = rate
            found[f"{name}_{part}_precision"] = rng.gamma(0.5, size=rate.shape) / rate
    return found


def free(name: str, value: np.ndarray) -> tuple[str, np.ndarray]:
    """Value variable of a hyperparameter, and its value: angles lie in an interval."""
    if name.endswith("_angle"):
        return f"{name}_interval__", logit(value / np.pi)
    return f"{name}_log__", np.log(value)


def of_units(prior: models.Prior, group: Group) -> tuple[int, ...] | None:
    """Shape of the scales that a prior gives to units, not to weights or groups."""
    by_unit = isinstance(prior, models.ARD) or getattr(prior, "ard", False)
    if group.is_bias or not by_unit:
        return None
    given: Any = prior
    return group.shape[:1] if given.by == "source" else group.shape[1:]


def prior_scale(prior: models.Prior, group: Group, points: Arrays) -> np.ndarray:
    """Prior standard deviations of a group given its hyperparameters."""

    def value(part: str) -> np.ndarray:
        found = np.exp(points[f"{group.name}_{part}_log__"])
        if found.ndim == 1:
            return found.reshape(len(found), *(1,) * len(group.shape))
        if found.ndim - 1 == len(group.shape):
            return found
        given: Any = prior  # one for each unit of a matrix
        return found[:, :, None] if given.by == "source" else found[:, None, :]

    if isinstance(prior, models.Gaussian):
        return np.full(1, prior.sd)
    if isinstance(prior, models.Stable):
        beta, angle = prior.index / 2, np.pi * expit(points[f"{group.name}_angle_interval__"])
        first = (np.sin((1 - beta) * angle) / value("waiting")) ** ((1 - beta) / beta)
        return prior.sd * np.sqrt(first * np.sin(beta * angle) / np.sin(angle) ** (1 / beta))
    if isinstance(prior, models.Scaled):
        return np.full(1, group.fan_in**-0.5)
    if isinstance(prior, models.ConjugateHorseshoe):
        return (value("global_precision") * value("local_precision")) ** -0.5
    if isinstance(prior, models.Horseshoe | models.RegularizedHorseshoe):
        factors = (
            value(f"{part}_{k}") for part in ("global", "local") for k in ("normal", "variance")
        )
        n, v, local_n, local_v = factors
        scale = n * np.sqrt(v) * local_n * np.sqrt(local_v)
        if isinstance(prior, models.RegularizedHorseshoe):
            slab = value("slab_variance")
            scale = np.sqrt(slab * scale**2 / (slab + scale**2))
        return scale
    if isinstance(prior, models.StudentT):
        return (value("precision") * value("local_precision")) ** -0.5
    return value("precision") ** -0.5
