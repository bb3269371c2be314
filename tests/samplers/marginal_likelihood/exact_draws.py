"""Models whose tempered posteriors are drawn exactly, and whose evidence is known."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp


@dataclass(frozen=True)
class Linear:
    """Regression with known noise of deviation 1 and weights with prior N(0, scale^2)."""

    X: np.ndarray
    y: np.ndarray
    scale: float

    def log_evidence(self) -> float:
        covariance = np.eye(self.y.size) + self.scale**2 * self.X @ self.X.T
        _, log_determinant = np.linalg.slogdet(2 * np.pi * covariance)
        return float(-(log_determinant + self.y @ np.linalg.solve(covariance, self.y)) / 2)

    def log_likelihood(
        self, powers: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator
    ) -> np.ndarray:
        """Log likelihoods of exact draws, shape (*shape, temperatures)."""
        found = np.empty((*shape, powers.size))
        weights = self.X.shape[1]
        for k, power in enumerate(powers):
            precision = np.eye(weights) / self.scale**2 + power * self.X.T @ self.X
            mean = np.linalg.solve(precision, power * self.X.T @ self.y)
            factor = np.linalg.inv(np.linalg.cholesky(precision))
            residuals = self.y - (mean + rng.normal(size=(*shape, weights)) @ factor) @ self.X.T
            found[..., k] = -(residuals**2 + np.log(2 * np.pi)).sum(-1) / 2
        return found


def linear(weights: int, seed: int = 0, scale: float = 1.0) -> Linear:
    """Make a regression on two cases for each weight."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * weights, weights))
    return Linear(X, X @ rng.normal(size=weights) + rng.normal(size=2 * weights), scale)


@dataclass(frozen=True)
class Logistic:
    """One weight with prior N(0, 3^2) and logistic cases, by quadrature."""

    x: np.ndarray
    y: np.ndarray
    grid: np.ndarray
    log_density: np.ndarray
    log_values: np.ndarray

    def log_evidence(self) -> float:
        return float(logsumexp(self.log_density + self.log_values) - logsumexp(self.log_density))

    def log_likelihood(
        self, powers: np.ndarray, shape: tuple[int, ...], rng: np.random.Generator
    ) -> np.ndarray:
        """Log likelihoods of draws by the inverse distribution function on the grid."""
        found = np.empty((*shape, powers.size))
        for k, power in enumerate(powers):
            logs = self.log_density + power * self.log_values
            mass = np.cumsum(np.exp(logs - logs.max()))
            found[..., k] = self.log_values[
                np.searchsorted(mass / mass[-1], rng.uniform(size=shape))
            ]
        return found


def logistic(cases: int = 30, seed: int = 0) -> Logistic:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=cases)
    y = rng.uniform(size=cases) < expit(2 * x)
    grid = np.linspace(-24, 24, 40_001)
    signed = np.where(y, 1, -1) * x
    log_values = -np.logaddexp(0, -grid[:, None] * signed).sum(axis=1)
    return Logistic(x, y, grid, -((grid / 3) ** 2) / 2, log_values)


def powers_from(hottest: float, count: int) -> np.ndarray:
    """Inverse temperatures from 1, geometrically, and 0."""
    return np.append(np.geomspace(1, hottest, count - 1), 0.0)
