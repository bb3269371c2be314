"""Blocks keep PyMC's order of variables, whatever order they are named in."""

import numpy as np
import pymc as pm
import pytest
from pymc_bnn import samplers
from pymc_bnn.samplers.compiled.memory import initial_point, remembered
from pymc_bnn.samplers.potential.layout import Layout, value_names


@pytest.fixture(scope="module")
def model() -> pm.Model:
    with pm.Model() as model:
        a = pm.Normal("a", 0.0, 1.0, shape=2)
        b = pm.Normal("b", 5.0, 0.1)
        pm.Normal("y", a.sum() + b, 1.0, observed=5.0)
    return model


def test_order_of_vars_does_not_matter(model: pm.Model) -> None:
    """PyMC evaluates a model in the order of its variables; another order is a wrong posterior."""
    results = []
    for names in (["a", "b"], ["b", "a"], [model["b"], model.rvs_to_values[model["a"]]]):
        step = samplers.StaticHMC(names, 5, 0.1, step_sizes="adapt", model=model)
        step.setup_chain(np.random.default_rng(1), tune=0, draws=1)
        point, _ = step.step({k: np.asarray(v + 0.1) for k, v in initial_point(model).items()})
        results.append(point)
    for other in results[1:]:
        for name in results[0]:
            np.testing.assert_array_equal(results[0][name], other[name])
    assert results[0]["b"] == pytest.approx(5.0, abs=1.0)


def test_points_keep_their_order_and_are_not_changed_in_place(model: pm.Model) -> None:
    point = {"b": np.array(2.0), "a": np.array([0.0, 1.0])}
    layout = Layout(model, ["b", "a"])
    np.testing.assert_array_equal(layout.ravel(point), [0.0, 1.0, 2.0])
    changed = layout.unravel(np.array([3.0, 4.0, 5.0]), point)
    assert list(changed) == ["b", "a"]
    assert point["b"] == 2.0
    np.testing.assert_array_equal(changed["a"], [3.0, 4.0])


def test_names_are_found_for_all_kinds_of_variables(model: pm.Model) -> None:
    assert value_names(model, model["a"]) == ["a"]
    assert value_names(model, "b") == ["b"]
    with pytest.raises(ValueError, match="variable in vars"):
        value_names(model, ["c"])


def test_a_changed_model_is_examined_anew() -> None:
    with pm.Model() as model:
        data = pm.Data("data", np.zeros(3))
        pm.Normal("x", shape=data.shape[0])
        assert initial_point(model)["x"].shape == (3,)
        pm.set_data({"data": np.zeros(5)})
        assert initial_point(model)["x"].shape == (5,)
        assert remembered(model, "key", lambda: 1) == remembered(model, "key", lambda: 2)
        pm.Normal("z")
    assert set(initial_point(model)) == {"x", "z"}


@pytest.mark.parametrize("start", [3.0, "prior", None])
def test_another_initial_value_makes_another_initial_point(start: float | str | None) -> None:
    with pm.Model() as model:
        x = pm.Normal("x", initval=1.0)
    assert initial_point(model)["x"] == 1.0
    model.set_initval(x, start)
    assert initial_point(model)["x"] == model.initial_point(0)["x"] != 1.0
