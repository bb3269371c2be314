"""Precisions of t noise against quadrature, at two temperatures."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import samplers
from pymc_bnn.samplers.potential.temperature import at_temperature
from scipy import stats

DRAWS, LAG = 12_000, 12
Z = 4.0  # standard errors; a right step exceeds them in one of the four comparisons in 4000 seeds
Y = stats.t(4.0).ppf((np.arange(20) + 0.5) / 20) * 0.3
GRID = np.linspace(-6.0, 10.0, 4001)


def moments(temperature: float) -> tuple[float, float]:
    """Mean and standard deviation of the log precision."""
    sd = np.exp(-0.5 * GRID)[:, None]
    log_density = stats.t.logpdf(Y, 4.0, 0.1, sd).sum(axis=1) / temperature
    log_density += stats.gamma.logpdf(np.exp(GRID), 0.5, scale=2.0) + GRID
    weights = np.exp(log_density - log_density.max())
    mean = np.average(GRID, weights=weights)
    return float(mean), float(np.sqrt(np.average((GRID - mean) ** 2, weights=weights)))


@pytest.mark.parametrize("temperature", [1.0, 2.5])
def test_precisions_of_t_noise_have_their_posterior(temperature: float) -> None:
    with pm.Model() as model:
        precision = pm.Gamma("noise_precision", 0.5, 0.5)
        pm.StudentT("y", 4.0, 0.1, sigma=precision**-0.5, observed=Y)
    step = samplers.GibbsPrecision(model=model, rng=3)
    step.setup_chain(np.random.default_rng(3), tune=0, draws=DRAWS)
    point, drawn = {"noise_precision_log__": np.array(2.0)}, np.empty(DRAWS)
    with at_temperature(model, temperature):
        for i in range(DRAWS):
            point, _ = step.step(point)
            drawn[i] = point["noise_precision_log__"]
    mean, sd = moments(temperature)
    for found, expected in ((drawn, mean), ((drawn - mean) ** 2, sd**2)):
        batches = found.reshape(-1, LAG).mean(axis=1)  # nearly independent of each other
        error = batches.std(ddof=1) / np.sqrt(batches.size)
        assert abs(batches.mean() - expected) < Z * error
