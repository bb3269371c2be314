"""Bridges between priors: densities with scales integrated out, and ratios of evidence."""

from itertools import pairwise

import numpy as np
import pytest
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.design.priors import BRIDGED, EACH_UNIT, HEAVY, LOGISTIC, OURS
from pymc_bnn.studies.neal1992.runs import bridging
from pymc_bnn.studies.neal1992.runs.bridging import bridge_priors, ratio
from pymc_bnn.studies.neal1992.runs.marginal_priors import GROUPS, log_density
from scipy import stats
from scipy.integrate import quad
from scipy.special import logsumexp

SHAPES = {"w0": (2, 3), "b0": (3,), "w1": (3, 2), "b1": (2,)}
OF_SCALE = {  # density of weights given a scale, and that of the scale
    OURS: (stats.norm, lambda u: 2 * stats.gamma.pdf(u**-2, 0.5, scale=2) * u**-3),
    HEAVY: (stats.t(4), lambda u: 2 * stats.gamma.pdf(u**-2, 0.5, scale=2) * u**-3),
    LOGISTIC: (stats.logistic, lambda u: (1 + u) ** -2),
}


def some(seed: int = 0, draws: int = 1) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: 2 * rng.normal(size=(draws, *shape)) for name, shape in SHAPES.items()}


def blocks(name: str, weights: dict[str, np.ndarray]) -> list[np.ndarray]:
    """Weights of one draw that share a scale."""
    w0, b0, w1, b1 = (weights[group][0] for group in GROUPS)
    if name == LOGISTIC:
        return [w0.ravel(), b0, np.append(w1.ravel(), b1)]
    return [*w0, b0, *w1, b1] if name == EACH_UNIT else [w0.ravel(), b0, w1.ravel(), b1]


def by_quadrature(name: str, w: np.ndarray) -> float:
    """Log density of weights that share a scale, piece by piece about the likeliest scale."""
    of, prior = OF_SCALE.get(name, OF_SCALE[OURS])

    def log_density_at(log_u: np.ndarray) -> np.ndarray:
        u = np.exp(log_u)
        with np.errstate(divide="ignore", over="ignore"):
            return of.logpdf(w[:, None] / u).sum(axis=0) + np.log(prior(u)) + (1 - w.size) * log_u

    def relative(log_u: float) -> float:
        return np.exp(log_density_at(np.array([log_u]))[0] - peak)

    scales = np.linspace(-30, 40, 7001)
    logs = log_density_at(scales)
    peak, at = logs.max(), scales[logs.argmax()]
    ends = at + np.array([-40, -15, -5, -2, -0.5, 0, 0.5, 2, 5, 15, 40])
    pieces = pairwise(ends)
    total = sum(quad(relative, *piece, epsabs=0, epsrel=1e-11, limit=500)[0] for piece in pieces)
    return np.log(total) + peak


@pytest.mark.parametrize("name", [OURS, *BRIDGED])
def test_densities_are_those_of_quadrature_over_scales(name: str) -> None:
    weights = some()
    total = sum(by_quadrature(name, w) for w in blocks(name, weights))
    assert log_density(name, weights)[0] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("name", [HEAVY, LOGISTIC])
@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_densities_are_right_for_weights_of_any_size(name: str, size: float) -> None:
    """Groups of 100 weights, of one, and of about ten, whose scales have a peak or hardly one."""
    shapes = {"w0": (10, 10), "b0": (1,), "w1": (9, 1), "b1": (1,)}
    rng = np.random.default_rng(0)
    weights = {group: size * rng.normal(size=(1, *shape)) for group, shape in shapes.items()}
    total = sum(by_quadrature(name, w) for w in blocks(name, weights))
    assert log_density(name, weights)[0] == pytest.approx(total, abs=1e-9, rel=0)


def test_draws_of_both_posteriors_give_the_ratio_of_integrals() -> None:
    """A likelihood that knows two weights alone, over a grid; the others are from their prior."""
    count, rng = 4000, np.random.default_rng(1)
    axis = np.linspace(-8, 8, 400)
    grid = {name: np.zeros((axis.size, *shape)) for name, shape in SHAPES.items()}
    grid["b1"][:, 0] = axis
    likelihood = stats.norm.logpdf(axis, 3.0, 0.5)
    logs = {name: log_density(name, grid) + likelihood for name in (OURS, HEAVY)}
    exact = logsumexp(logs[HEAVY]) - logsumexp(logs[OURS])
    drawn = {}
    for name, log_posterior in logs.items():
        share = np.exp(log_posterior - logsumexp(log_posterior))
        at = rng.choice(axis.size, size=(4, count // 4), p=share)
        drawn[name] = {group: values[at] for group, values in grid.items()}
    found = ratio(drawn[OURS], drawn[HEAVY], HEAVY)
    alone = ratio(drawn[OURS], drawn[OURS], HEAVY, "stepping_stone")
    for one in (found, alone):
        assert abs(one.log_evidence - exact) < 4 * one.standard_error
        assert one.cautions == ()
    assert abs(exact) > 10 * found.standard_error > 0


def test_a_unit_has_a_bridge_to_each_prior(monkeypatch: pytest.MonkeyPatch) -> None:
    """With draws that are made up, the same under all priors but the report's."""

    def drawn(name: str, *given: object) -> dict[str, np.ndarray]:
        found = some(1 + (name == LOGISTIC), 200)
        return {group: w.reshape(4, 50, *w.shape[1:]) for group, w in found.items()}

    monkeypatch.setattr(bridging, "_drawn", drawn)
    found = bridge_priors(0, BUDGETS["smoke"], 0)
    assert tuple(found["prior"].values) == BRIDGED
    ours, theirs = drawn(OURS), drawn(LOGISTIC)
    for name in BRIDGED:
        one = ratio(ours, theirs if name == LOGISTIC else ours, name)
        assert found.sel(prior=name)["log_ratio"] == one.log_evidence
        assert found.sel(prior=name)["standard_error"] == one.standard_error
