"""Networks as parts of models of one's own."""

from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.precisions.conjugacy import conjugate_names
from pytensor.compile.mode import Mode
from pytensor.graph.traversal import ancestors
from pytensor.tensor.elemwise import Elemwise

PYTHON = Mode(linker="py", optimizer=None)
RNG = np.random.default_rng(3)
X = RNG.normal(size=(9, 2))
Y = X[:, 0] + 0.1 * RNG.normal(size=9)

PRIORS: dict[str, models.Prior] = {
    "Gaussian": models.Gaussian(),
    "ARD": models.ARD(),
    "NormalInverseGamma": models.NormalInverseGamma(),
}


@pytest.mark.parametrize("parametrization", ["centered", "noncentered"])
@pytest.mark.parametrize("prior", PRIORS)
def test_a_network_with_a_likelihood_of_ones_own_has_the_density_of_ours(
    prior: str, parametrization: str
) -> None:
    arguments: dict[str, Any] = {
        "hidden": (3, 2),
        "activation": "relu",
        "prior": PRIORS[prior],
        "parametrization": parametrization,
    }
    noise = models.GaussianNoise()
    ours = models.BNN(X, Y, likelihood=noise, **arguments)
    with pm.Model(coords={"obs": range(9), "output": [0]}) as own:
        f = models.network(X, **arguments)
        noise.observe(f[:, None], pm.Data("y", ours["y"].get_value()))
    names = {v.name: own[f"f_{v.name}"] for v in ours.free_RVs if v.name != "noise_precision"}
    point = {v.name: RNG.normal(size=ours.initial_point()[v.name].shape) for v in ours.value_vars}
    renamed = {
        (key if key.startswith("noise") else f"f_{key}"): value for key, value in point.items()
    }
    assert set(renamed) == {v.name for v in own.value_vars}
    assert len(names) == len(own.free_RVs) - 1
    density = [m.compile_logp(mode=PYTHON) for m in (ours, own)]
    assert density[0](point) == pytest.approx(float(density[1](renamed)), rel=1e-12)


def test_networks_of_different_widths_share_a_model() -> None:
    frame = pd.DataFrame(X, columns=["width", "height"])
    with pm.Model() as model:
        mean = models.network(frame, hidden=(4, 3), name="mean")
        log_sd = models.network(frame, hidden=(), biases=False, name="log_sd")
        rates = models.network(frame, 2, hidden=(2,), name="rates")
        pm.Normal("y", mean, pt.exp(log_sd), observed=Y)
    assert mean.type.ndim == log_sd.type.ndim == 1
    assert rates.eval().shape == (9, 2)
    assert model["mean_w1"].eval().shape == (4, 3)
    assert model.coords["mean_input"] == model.coords["log_sd_input"] == ("width", "height")
    assert model.coords["mean_hidden_1"] == (0, 1, 2)
    assert [v.name for v in model.free_RVs if v.name.startswith("log_sd")] == ["log_sd_w0"]


def test_nested_models_may_use_one_name_twice() -> None:
    with pm.Model() as model:
        for name, hidden in (("mean", 4), ("noise", 2)):
            with pm.Model(name=name):
                models.network(X, hidden=(hidden,))
    assert {"mean::f_w0", "noise::f_w0"} <= {v.name for v in model.free_RVs}
    assert len(model.coords["mean::f_hidden_0"]) == 4
    assert len(model.coords["noise::f_hidden_0"]) == 2


def test_other_cases_get_other_outputs() -> None:
    with pm.Model() as model:
        inputs = pm.Data("inputs", X)
        f = pm.Deterministic("mean", models.network(inputs))
        pm.Normal("y", f, 1.0, observed=pm.Data("targets", Y))
        assert "f_X" not in model.named_vars
        draws = pm.sample_prior_predictive(2, var_names=["f_w0", "f_b0", "f_w1", "f_b1"])
        pm.set_data({"inputs": X[:3], "targets": np.zeros(3)})
        found = pm.sample_posterior_predictive(
            draws["prior"].dataset, var_names=["mean", "y"], progressbar=False
        )
    w = {name: draws["prior"][f"f_{name}"].to_numpy()[0, 1] for name in ("w0", "b0", "w1", "b1")}
    expected = np.tanh(X[:3] @ w["w0"] + w["b0"]) @ w["w1"] + w["b1"]
    kept = found["posterior_predictive"]
    np.testing.assert_allclose(kept["mean"].to_numpy()[0, 1], expected[:, 0], rtol=1e-12)
    assert kept["y"].shape == (1, 2, 3)


@pytest.mark.parametrize("hidden", [(3,), ()])
def test_data_of_whole_numbers_are_inputs_too(hidden: tuple[int, ...]) -> None:
    """Those of floats are in the graph as they are."""
    whole = np.array([[0, 1], [2, 1], [1, 0]])
    for given in (whole, whole > 0):
        found = []
        for inputs in (given, given.astype(float)):
            with pm.Model() as model:
                container = pm.Data("inputs", inputs)
                f = models.network(container, hidden=hidden)
            inner = [v.owner for v in ancestors([f]) if v.owner]
            [first] = {type(node.op) for node in inner if container in node.inputs}
            assert (first is Elemwise) == (inputs.dtype != float)
            point = {n: np.full(v.shape, 0.5) for n, v in model.initial_point().items()}
            [value] = model.replace_rvs_by_values([f])
            found.append(model.compile_fn(value, inputs=model.value_vars)(point))
        np.testing.assert_array_equal(*found)


def test_tensors_of_single_precision_and_of_a_shape_that_is_said_are_inputs() -> None:
    single = np.linspace(-1, 1, 8, dtype="float32").reshape(4, 2)
    with pm.Model() as model:
        f = models.network(pt.constant(single), hidden=(2,))
        pm.Normal("y", f, 1.0, observed=np.zeros(4))
    idata = samplers.sample(model, draws=2, tune=2, chains=1, seed=1, progressbar=False, quiet=True)
    assert np.isfinite(idata["sample_stats"]["lp"]).all()
    with pm.Model():
        inner = models.network(single, outputs=2, name="inner")
        with pytest.raises(ValueError, match="specify_shape"):
            models.network(inner, name="outer")
        models.network(pt.specify_shape(inner, (None, 2)), name="outer")


def test_its_precisions_are_conjugate() -> None:
    with pm.Model() as model:
        f = models.network(X, prior=models.NormalInverseGamma())
        pm.Poisson("counts", pt.exp(f), observed=np.arange(9))
    names = {f"f_{group}_precision_log__" for group in ("w0", "b0", "w1", "b1")}
    assert conjugate_names(model) == names


@pytest.mark.compiled
def test_sample_takes_models_with_networks() -> None:
    with pm.Model() as model:
        mean = models.network(X, hidden=(2,), prior=models.NormalInverseGamma(), name="mean")
        log_sd = models.network(X, hidden=(), name="log_sd")
        pm.Normal("y", mean, pt.exp(log_sd), observed=Y)
    idata = samplers.sample(
        model,
        draws=4,
        tune=4,
        chains=2,
        cores=1,
        seed=1,
        progressbar=False,
        quiet=True,
        compute_convergence_checks=False,
    )
    assert set(idata["posterior"].data_vars) == {v.name for v in model.free_RVs}
    assert np.isfinite(idata["posterior"]["mean_w0"]).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "a b"}, r"name='a b': give a name such as"),
        ({"name": ""}, r"name='': give a name"),
        ({"name": "twice"}, r"name='twice': the model has such a network already"),
        ({"name": "own"}, r"name='own': the model has a variable own_w0 already"),
        ({"outputs": 0}, r"outputs=0: give a positive whole number"),
        ({"outputs": 1.5}, r"outputs=1.5: give a positive whole number"),
        ({"hidden": (0,)}, r"hidden=\(0,\): give the units"),
        ({"activation": "sine"}, "activation"),
        ({"parametrization": "raw"}, "parametrization"),
        ({"prior": "ard"}, "prior='ard': give a prior"),
        ({"prior": {"w9": models.Gaussian()}}, "w9"),
        ({"X": X[:, 0]}, "X must be a matrix"),
        ({"X": [["a"]]}, "X"),
        ({"X": pt.dmatrix("X")}, "X is a tensor of which it is not known"),
        ({"X": pt.dvector("X")}, "X is a tensor of which it is not known"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: dict[str, Any], words: str) -> None:
    with pm.Model() as model:
        models.network(X, name="twice")
        pm.Normal("own_w0")
        before = set(model.named_vars)
        with pytest.raises((ValueError, TypeError), match=words) as caught:
            models.network(**{"X": X, **arguments})
    assert "\n" not in str(caught.value)
    assert set(model.named_vars) == before  # so that the call can be mended and made again


def test_without_a_model_there_is_nothing_to_declare_in() -> None:
    with pytest.raises(TypeError, match=r"[Mm]odel"):
        models.network(X)
