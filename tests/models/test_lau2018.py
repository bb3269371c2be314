"""Every model in the tables of Lau (2018, ch. 4) is one call, and has the density he states."""

from typing import Any

import numpy as np
import pytest
from pymc_bnn import models
from pytensor.compile.mode import Mode
from scipy import stats

from .density import log_density

RNG = np.random.default_rng(6)
X, Y = RNG.uniform(size=(20, 64)), np.arange(20) % 10
UNITS = 35
NORMAL = models.Gaussian()
OUTPUT_PRIORS: dict[str, models.Prior] = {
    "Normal": NORMAL,
    "Normal-Inv-Gamma": models.NormalInverseGamma(),
    "Normal ARD": models.ARD(),
    "RHS": models.RegularizedHorseshoe(),
    "RHS ARD": models.RegularizedHorseshoe(ard=True, by="source"),
    "HS": models.Horseshoe(),
    "HS ARD": models.Horseshoe(ard=True, by="source"),
}
ROWS: dict[str, dict[str, Any]] = {
    **{
        f"4.3: {parametrization}": {
            "prior": {"w0": models.NormalInverseGamma(), "w1": NORMAL},
            "parametrization": parametrization,
        }
        for parametrization in ("centered", "noncentered")
    },
    **{
        f"4.4: {name}": {"prior": {"w0": NORMAL, "w1": prior}}
        for name, prior in OUTPUT_PRIORS.items()
    },
    **{
        f"4.9: {units} units, {name}": {"hidden": (units,), "prior": {"w0": NORMAL, "w1": prior}}
        for units in (35, 50, 65)
        for name, prior in {"unscaled": NORMAL, "scaled": models.Scaled()}.items()
    },
    "4.10: Normal": {"prior": NORMAL},
    "4.10: Normal-Inv-Gamma": {"prior": models.NormalInverseGamma()},
    "4.10: Normal-Inv-Gamma ARD": {"prior": models.ARD(by="target")},
    **{f"4.11: {n} layers": {"hidden": (UNITS,) * n} for n in (2, 3, 4)},
}


def network(row: str) -> models.BNN:
    settings = {"hidden": (UNITS,), "likelihood": "categorical", "biases": False, **ROWS[row]}
    return models.BNN(X, Y, **settings)


@pytest.mark.parametrize("row", ROWS)
def test_row_of_the_thesis_is_one_call(row: str, python_mode: Mode) -> None:
    model = network(row)
    rng = np.random.default_rng(7)
    values, point = {}, {}
    for variable in model.free_RVs:
        value = model.rvs_to_values[variable]
        dims = model.named_vars_to_dims.get(variable.name, ())
        at = rng.normal(scale=0.3, size=[len(model.coords[dim]) for dim in dims])
        point[value.name] = at
        values[variable.name] = np.exp(at) if value.name.endswith("_log__") else at
    logp = model.compile_logp(jacobian=False, mode=python_mode)
    assert logp(point) == pytest.approx(log_density(model, X, Y, values), rel=1e-12)


@pytest.mark.parametrize(("layers", "dimension"), [(2, 3815), (3, 5040), (4, 6265)])
def test_deep_networks_have_the_thesis_dimension(layers: int, dimension: int) -> None:
    """Lau (2018), Table 4.11."""
    model = network(f"4.11: {layers} layers")
    assert sum(np.prod(group.shape) for group in model.groups.values()) == dimension


def test_scaled_prior_of_the_output_weights_has_the_variance_of_the_thesis() -> None:
    """One over the number of hidden units (Lau 2018, 4.7)."""
    model = network("4.9: 50 units, scaled")
    assert model.scales["w1"] == pytest.approx(50**-0.5, rel=1e-15)
    assert model.scales["w0"] == 1.0


def test_precision_of_shape_and_rate_one_half_is_the_thesis_inverse_gamma_variance() -> None:
    """Sampled as log precision, minus log variance, so that the densities mirror each other."""
    log_variance = np.linspace(-5, 8, 30)
    precision = stats.gamma.logpdf(np.exp(-log_variance), 0.5, scale=2.0) - log_variance
    variance = stats.invgamma.logpdf(np.exp(log_variance), 0.5, scale=0.5) + log_variance
    np.testing.assert_allclose(precision, variance)
    prior = models.NormalInverseGamma()
    assert (prior.alpha / 2, prior.alpha / 2 * prior.sd**2) == (0.5, 0.5)
