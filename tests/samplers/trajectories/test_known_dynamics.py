"""Trajectories of a linear network, whose energy errors and autocorrelations are known.

With one centred input the curvature has no cross terms, and Neal's step sizes make an oscillator
of unit frequency with step eta of both weights, whatever the precision of the noise.
"""

import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.trajectories.along import EVERY, look_along
from pymc_bnn.samplers.trajectories.energy_errors import LEAPFROGS, energy_errors
from pymc_bnn.samplers.trajectories.paths import compile_path

SETTLED, CHAINS, TRAJECTORIES = 5, 60, 25


@pytest.fixture(scope="module")
def line() -> models.BNN:
    x = np.linspace(-1.0, 1.0, 9)
    noise = np.random.default_rng(3).normal(size=9)
    return models.gaussian(x[:, None], x + 0.3 * noise, hidden=())


def unit_moment(eta: float) -> float:
    """Mean square of what becomes of q^2 along a trajectory, for both oscillators together.

    Leapfrog steps conserve (p^2 + (1 - eta^2 / 4) q^2) / 2, so that the energy error of one is
    eta^2 / 8 times the change of q^2 from its equilibrium.
    """
    angle = LEAPFROGS * np.arccos(1.0 - eta**2 / 2.0)
    covariance, variance = np.cos(angle), np.cos(angle) ** 2
    variance += np.sin(angle) ** 2 / (1.0 - eta**2 / 4.0)
    mean = variance - 1.0
    square = 3.0 * variance**2 + 3.0 - 2.0 * (variance + 2.0 * covariance**2)
    return float(2.0 * square + 2.0 * mean**2)


def test_energy_errors_are_those_of_oscillators(line: models.BNN) -> None:
    factors, rng = np.array([0.2, 0.4, 0.8]), np.random.default_rng(4)
    points = [line.initial_point(0)] * CHAINS
    step = samplers.GibbsHMC(model=line)
    error = energy_errors(step, points, list(factors), TRAJECTORIES, rng)["error"]
    later = (error.isel(trajectory=slice(SETTLED, None)) ** 2).mean("trajectory")
    unit = np.array([unit_moment(eta) for eta in factors])
    mean, spread = later.mean("chain").values, later.std("chain", ddof=1).values
    z = (mean - (factors**2 / 8.0) ** 2 * unit) / (spread / CHAINS**0.5)
    assert np.abs(z).max() < 4.0
    order, _ = np.polyfit(np.log(factors), 0.5 * np.log(mean / unit), 1)
    assert order == pytest.approx(2.0, abs=0.25)


def test_weights_move_as_a_cosine(line: models.BNN) -> None:
    eta = 0.3
    path = compile_path(line)(line.initial_point(0), eta, np.random.default_rng(5), 1, 200)
    weight = np.array([float(point["w0"][0, 0]) for point in path])
    x, y = line["X"].get_value()[:, 0], line["y"].get_value()[:, 0]
    precision = float(np.exp(path[0]["noise_precision_log__"]))
    centre = precision * (x @ y) / (1.0 + precision * (x @ x))
    away = weight - centre
    turned = away[2:] + away[:-2] - 2.0 * (1.0 - eta**2 / 2.0) * away[1:-1]
    assert np.abs(turned).max() < 1e-10 * np.abs(away).max()


def test_outputs_decorrelate_after_a_quarter_of_a_period(line: models.BNN) -> None:
    eta = 0.02
    points = [{**line.initial_point(0), "w0": np.full((1, 1), 2.0), "b0": np.ones(1)}] * 2
    found = look_along(line, points, eta, np.random.default_rng(6))
    outputs = [str(name) for name in found["quantity"].values if str(name).startswith("output")]
    angle = np.arccos(1.0 - eta**2 / 2.0)
    lags = found["lag"].values[:250]
    cosine = np.cos(angle * lags)[:, None]
    correlations = found["autocorrelation"].sel(quantity=outputs).values[:250]
    assert np.abs(correlations - cosine).max() < 0.05
    expected = EVERY * np.ceil(np.arccos(0.1) / angle / EVERY)
    assert found["decorrelated"].sel(quantity=outputs).values == pytest.approx(expected)
