"""What steps inherit: chains that start well or not at all, pickles, statistics, progress."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, ClassVar

import cloudpickle
import numpy as np
import pymc as pm
import pytest
from pymc.exceptions import SamplingError
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.compiled.memory import initial_point
from pymc_bnn.samplers.potential.agreement import DisagreementError
from pymc_bnn.samplers.potential.parameters import Parameters
from pymc_bnn.samplers.potential.temperature import at_temperature
from pymc_bnn.samplers.pymc_steps import CompoundStep
from pymc_bnn.samplers.steps.bases.block_step import BlockStep
from pymc_bnn.samplers.steps.bases.compiled_step import ENERGIES

allocate = rest = engine.bound_later


def drift(rng, q, mean, precision, data):  # type: ignore[no-untyped-def]
    """Add noise, and return the potential energy there."""
    end = q + 0.1 * rng.standard_normal(q.size)
    return end, rest(end, allocate(data)) + 0.5 * np.sum(precision * (end - mean) ** 2)


class Drift(BlockStep):
    """A step that follows no distribution."""

    name, gradient = "drift", False
    stats_dtypes_shapes = ENERGIES
    shown: ClassVar[dict[str, tuple[str, str]]] = {"energy": ("Energy", ":0.1f")}
    made = 0

    def __init__(self, *, model: pm.Model):
        super().__init__(model, [str(v.name) for v in model.value_vars])
        self._compile()

    def _compile_run(self) -> Callable[..., Any]:
        type(self).made += 1
        return engine.specialize(drift, allocate=self._rest.allocate, rest=self._rest.evaluate)

    def _update(
        self, q: np.ndarray, parameters: Parameters, data: tuple
    ) -> tuple[np.ndarray, float, dict[str, Any]]:
        return *self._run(self.rng, q, parameters.mean, parameters.precision, data), {}


class Untempered(Drift):
    """A step that knows no temperature."""

    tempers = False


class Unfinished(Drift):
    """A step that lacks its update."""

    _update = BlockStep._update


@pytest.fixture(scope="module")
def model() -> pm.Model:
    with pm.Model() as model:
        x = pm.Normal("x", 1.0, 2.0, shape=2)
        pm.Normal("y", x, 1.0, observed=[2.0, 3.0])
    return model


@pytest.fixture(scope="module")
def step(model: pm.Model) -> Drift:
    return Drift(model=model)


def test_statistics_are_the_log_posterior_at_the_draw(step: Drift) -> None:
    step.setup_chain(np.random.default_rng(1), 0, 1)
    point, [statistics] = step.step(initial_point(step.model))
    log_posterior = float(step.model.compile_logp(mode="FAST_COMPILE")(point))
    assert statistics["model_logp"] == pytest.approx(log_posterior, rel=1e-8)
    assert statistics["energy"] == -statistics["model_logp"]
    assert statistics["perf_counter_diff"] > 0
    assert statistics.keys() == ENERGIES.keys()


def test_a_pickle_leaves_what_was_compiled_and_a_worker_compiles_it_once(step: Drift) -> None:
    copy, start = cloudpickle.loads(cloudpickle.dumps(step)), initial_point(step.model)
    assert not vars(copy).keys() & set(step.compiled)
    for other in (copy, deepcopy(step)):
        with pytest.raises(ValueError, match=r"Drift was pickled.*call its setup_chain"):
            other.step(start)
    made, ends = type(copy).made, []
    for each in (step, copy):
        for _ in range(2):
            each.setup_chain(np.random.default_rng(3), 0, 1)
        ends.append(each.step(start)[0]["x"])
    assert np.array_equal(*ends)
    assert type(copy).made == made + 1


def test_compiling_leaves_no_trace(step: Drift, model: pm.Model) -> None:
    other = Drift(model=model)
    assert (other.tune, other.divergences) == (True, 0)
    before = other.rng.bit_generator.state
    other._compile()
    assert other.rng.bit_generator.state == before


def test_only_a_chain_may_not_start_where_the_energy_is_infinite(step: Drift) -> None:
    bad = {"x": np.full(2, np.inf)}
    step.setup_chain(np.random.default_rng(1), 0, 2)
    with pytest.raises(SamplingError, match="Drift cannot start: the start of x is not finite"):
        step.step(bad)
    step.setup_chain(np.random.default_rng(1), 0, 2)
    step.step(initial_point(step.model))
    step.step(bad)


def test_divergences_count_after_warm_up_until_the_next_chain(step: Drift) -> None:
    step.setup_chain(np.random.default_rng(1), 1, 2)
    assert step._count(1) == {"divergences": 0}
    step.stop_tuning()
    step._count(2)
    assert step._count(1) == {"divergences": 3}
    step.setup_chain(np.random.default_rng(1), 0, 2)
    assert step._count(0) == {"divergences": 0}


def test_a_chain_does_not_start_with_other_data_or_at_another_temperature(model: pm.Model) -> None:
    network = models.gaussian(np.eye(3), np.arange(3.0), hidden=(2,))
    gibbs = samplers.GibbsPrecision(model=models.normal_inverse_gamma(np.eye(3), np.arange(3.0)))
    for each in (Drift(model=network), gibbs):
        each.model["X"].set_value(np.ones((2, 3)))
        with pytest.raises(ValueError, match="X has 2 cases and y has 3"):
            each.setup_chain(np.random.default_rng(1), 0, 1)
    cold = Untempered(model=model)
    with at_temperature(model, 2.0), pytest.raises(ValueError, match="Untempered cannot temper"):
        cold.setup_chain(np.random.default_rng(1), 0, 1)
    cold.setup_chain(np.random.default_rng(1), 0, 1)


@pytest.mark.parametrize("term", ["an observed variable", "a potential"])
def test_a_chain_does_not_start_where_the_model_got_another_term(term: str) -> None:
    with pm.Model() as model:
        x = pm.Normal("x", shape=2)
        tau = pm.Gamma("tau", 2.0, 2.0)
        pm.Normal("y", x, tau=tau, observed=[2.0, 3.0])
    ladder = samplers.ReplicaExchange([1.0, 2.0], n_leapfrog=2, model=model)
    steps = [Drift(model=model), samplers.NUTS(model=model), ladder]
    steps += [samplers.GibbsPrecision(model=model)]
    again = cloudpickle.loads(cloudpickle.dumps(steps[0]))
    with model:
        if term == "a potential":
            pm.Potential("z", -(x**2))
        else:
            pm.Normal("z", x[0], 1.0, observed=0.0)
    for step in steps:
        with pytest.raises(ValueError, match=r"The model got or lost z after \w+ was made"):
            step.setup_chain(np.random.default_rng(1), 0, 1)
    again.setup_chain(np.random.default_rng(1), 0, 1)  # its model is a copy, without it
    late = samplers.NUTS(model=model)
    late.setup_chain(np.random.default_rng(1), 0, 1)
    model.potentials, model.observed_RVs = [], model.observed_RVs[:1]
    with pytest.raises(ValueError, match=r"The model got or lost z after NUTS was made"):
        late.setup_chain(np.random.default_rng(1), 0, 1)


def test_what_disagrees_with_the_graph_is_refused(
    model: pm.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = BlockStep._potential

    def wrong(self: BlockStep) -> Callable[..., Any]:
        potential = right(self)
        return lambda point: (potential(point)[0], 1.01 * potential(point)[1])

    monkeypatch.setattr(BlockStep, "_potential", wrong)
    with pytest.raises(DisagreementError):
        Drift(model=model)


def test_what_cannot_be_a_step_is_refused(model: pm.Model) -> None:
    with pytest.raises(TypeError, match="Unfinished has to define _update"):
        Unfinished(model=model)
    with pm.Model() as discrete:
        pm.Poisson("k", 3.0)
        with pytest.raises(ValueError, match="Drift cannot move the discrete variable"):
            Drift(model=discrete)
    with model, pytest.raises(TypeError, match="initial_point"):
        samplers.NUTS(initial_point={"x": 0.0})


def test_the_progress_bar_shows_what_a_step_names(step: Drift, model: pm.Model) -> None:
    both = CompoundStep([step, samplers.NUTS(model=model)])
    columns, first = both._progressbar_config(3)
    headings = [str(column.get_table_column().header) for column in columns]
    assert headings == ["Energy", "Divergences", "Acceptance", "Grad evals"]
    assert first["energy"] == first["n_steps"] == [0, 0, 0]
    shows, counts = both._make_progressbar_update_functions()
    assert shows({"energy": 1.5, "model_logp": -1.5}) == {"energy": 1.5}
    gradients = {"divergences": 2, "acceptance_rate": 0.8, "n_steps": 7, "energy": 1.0}
    assert counts(gradients)["failing"] is True
    assert counts(gradients | {"divergences": 0})["failing"] is False


@pytest.mark.parametrize("kind", [samplers.NUTS, samplers.GibbsPrecision])
@pytest.mark.parametrize("size", [3, 9])
def test_variables_of_another_size_are_refused(kind: Callable[..., Any], size: int) -> None:
    """Compiled code would read past their ends, or leave some of them as they are."""
    with pm.Model(coords={"obs": range(6)}) as model:
        data = pm.Data("data", np.arange(6.0), dims="obs")
        precision = pm.Gamma("precision", 2, 2)
        effects = pm.Normal("effects", 0, precision**-0.5, dims="obs")
        pm.Normal("y", effects, 1, observed=data, dims="obs")
        step = kind(model=model)
        pm.set_data({"data": np.arange(float(size))}, coords={"obs": range(size)})
        step.setup_chain(1, tune=0, draws=1)
        match = rf"{kind.__name__} was made for effects of shape \(6,\), .*\({size},\) now; make"
        with pytest.raises(ValueError, match=match):
            step.step(model.initial_point())
    other = cloudpickle.loads(cloudpickle.dumps(step))  # as another process has it
    with pytest.raises(ValueError, match=match):
        other.setup_chain(1, tune=0, draws=1)
