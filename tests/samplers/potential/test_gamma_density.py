"""The short log density of gamma variables is PyMC's."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn.samplers.potential.gamma_density import gamma_density


def test_it_is_the_density_of_pymc() -> None:
    with pm.Model() as model:
        rate = pm.Gamma("rate", 0.5, np.array([1.0, 2.0]))
        precision = pm.Gamma("precision", np.array([0.5, 3.0]), rate, shape=(4, 2))
    point = {"rate_log__": np.array([-2.0, 1.5]), "precision_log__": np.linspace(-3, 3, 8)}
    point["precision_log__"] = point["precision_log__"].reshape(4, 2)
    for variable in (rate, precision):
        short = gamma_density(model, variable)
        assert short is not None
        both = [short, *model.logp([variable], sum=False)]
        options = {"inputs": model.value_vars, "on_unused_input": "ignore"}
        found, wanted = model.compile_fn(both, **options)(point)
        np.testing.assert_allclose(np.broadcast_to(found, wanted.shape), wanted, rtol=1e-13)


@pytest.mark.filterwarnings("ignore:.*:UserWarning")
def test_other_variables_keep_the_density_of_pymc() -> None:
    with pm.Model() as model:
        shape = pm.Normal("shape")
        other = pm.Gamma("other", pm.math.exp(shape), 1.0)
        raw = pm.Gamma("raw", 1.0, 1.0, default_transform=None)
        seen = pm.Gamma("seen", 1.0, other, observed=[1.0])
        term = pm.Potential("term", -raw)
    for variable in (shape, other, raw, seen, term):
        assert gamma_density(model, variable) is None
