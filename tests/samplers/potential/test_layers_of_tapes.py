"""Layers that a tape calls compute what PyTensor's operations compute, for data of any length."""

from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.layer import layer
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.samplers.potential.graphs import graph_rest
from pymc_bnn.samplers.potential.rest import compile_probe
from pymc_bnn.samplers.potential.tape import function, graph_tape
from pymc_bnn.samplers.potential.tape.function import TapeFunction, evaluated
from pymc_bnn.samplers.potential.tape.views import UntranslatedError
from pytensor.compile.mode import Mode
from pytensor.graph.replace import vectorize_graph

pytestmark = pytest.mark.compiled
IN_PYTHON = Mode(linker="py", optimizer="fast_compile")  # where a layer is its graph
SMOOTH = [name for name in ACTIVATIONS if name != "step"]


@pytest.fixture
def no_graph_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a graph was compiled")

    monkeypatch.setattr(graph_rest, "_compiled_rest", compiled)
    monkeypatch.setattr(function, "_compiled", compiled)


def network(x: Any, activation: str) -> tuple[list[Any], Any]:
    """Weights of three layers, of which the second has no biases, and what these compute."""
    w, v, u, b, c = *pt.dmatrices("w", "v", "u"), *pt.dvectors("b", "c")
    hidden = layer(x, w, b, activation)
    out = layer(layer(hidden, v, None, activation), u, c, "identity")
    return [w, v, u, b, c], out


@pytest.mark.usefixtures("no_graph_is_compiled")
@pytest.mark.parametrize("activation", SMOOTH)
def test_outputs_and_slopes_are_those_of_pytensor(activation: str) -> None:
    x = pt.dmatrix("x")
    weights, out = network(x, activation)
    total = pt.sqr(out[1:, 0] - out[:-1, 1]).sum() + pt.log1p(pt.sqr(out)).sum()
    inputs = [x, *weights]
    outputs = [out, out.T, *pytensor.grad(total, inputs)]
    expected = pytensor.function(inputs, outputs, mode=IN_PYTHON)
    evaluate = evaluated(inputs, outputs)
    rng = np.random.default_rng(1)
    for cases in (1, 2, 7, 40):
        shapes = [(cases, 3), (3, 5), (5, 1), (1, 2), (5,), (2,)]
        values = [rng.normal(size=shape) for shape in shapes]
        for found, wanted in zip(evaluate(*values), expected(*values), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)


def ordered(rows: int = 12) -> models.BNN:
    X = np.random.default_rng(2).normal(size=(rows, 2))
    return models.BNN(X, np.arange(rows) % 3, hidden=(4,), likelihood="ordered")


def with_a_network_in_it() -> pm.Model:
    X = np.random.default_rng(3).normal(size=(9, 2))
    with pm.Model() as model:
        f = models.network(X, hidden=(3,))
        pm.StudentT("y", nu=4, mu=f, sigma=pm.HalfNormal("sigma"), observed=X[:, 0])
    return model


def with_skip() -> models.BNN:
    X = np.random.default_rng(4).normal(size=(9, 2))
    return models.BNN(X, X[:, 0], hidden=(3, 2), skip=True)


@pytest.mark.usefixtures("no_graph_is_compiled")
@pytest.mark.parametrize("build", [ordered, with_a_network_in_it, with_skip])
def test_energies_of_models_are_those_of_their_graphs(build: Any) -> None:
    model = build()
    values = {variable.name: variable for variable in model.value_vars}
    conditional = Conditional(model, values)
    potential = compile_probe(conditional, conditional.compile_rest(gradient=True))
    slopes = pytensor.grad(model.logp(), [values[name] for name in conditional.layout.names])
    exact = model.compile_fn([model.logp(), *slopes], mode=IN_PYTHON)
    rng, start = np.random.default_rng(5), model.initial_point(0)
    offsets = []
    for _ in range(3):
        point = {k: v + 0.3 * rng.normal(size=np.shape(v)) for k, v in start.items()}
        energy, slope = potential(point)
        density, *expected = exact(point)
        offsets.append(energy + density)
        expected = np.concatenate([np.ravel(part) for part in expected])
        np.testing.assert_allclose(slope, -expected, rtol=1e-9, atol=1e-9)
    assert np.ptp(offsets) < 1e-9 * max(1.0, abs(offsets[0]))


@pytest.mark.usefixtures("no_graph_is_compiled")
def test_data_of_another_length_are_read() -> None:
    model, other = ordered(), ordered(5)
    step = samplers.StaticHMC(n_leapfrog=2, step_sizes="adapt", model=model)
    found = []
    for data in (model, other):
        given = {name: data[name].get_value() for name in ("X", "y")}
        pm.set_data(given, model=model)
        point = model.initial_point(0)
        step.setup_chain(np.random.default_rng(1), 0, 1)
        after, (statistics,) = step.step(point)
        exact = model.compile_logp(mode=IN_PYTHON)(after)
        found.append(statistics["model_logp"] - exact)
    assert found == pytest.approx([0.0, 0.0], abs=1e-9)


def test_it_does_not_matter_which_data_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = pytensor.shared(np.ones((9, 2)), shape=(None, 2)), pt.dmatrix("w")
    tape = TapeFunction([layer(x, w, None, "tanh")], [w])
    monkeypatch.setattr(graph_tape, "LARGEST_LAYERS", 50)
    weights = np.full((2, 3), 0.25)
    for _ in range(2):
        x.set_value(np.ones((9, 2)))
        with pytest.raises(UntranslatedError, match="not near"):
            tape(weights)
        x.set_value(np.ones((2, 2)))
        np.testing.assert_allclose(tape(weights)[0], np.full((2, 3), np.tanh(0.5)))
        assert tape.translates


@pytest.mark.parametrize("shapes", [((3, 4), (5,)), ((2, 4), (5,)), ((3, 5), (4,))])
def test_matrices_that_do_not_fit_are_not_read(shapes: tuple[tuple[int, ...], ...]) -> None:
    x, w, b = pt.dmatrix("x"), pt.dmatrix("w"), pt.dvector("b")
    tape = TapeFunction([layer(x, w, b, "tanh")], [x, w, b])
    with pytest.raises(UntranslatedError, match="do not fit"):
        tape(np.ones((2, 3)), *map(np.ones, shapes))


def test_large_layers_and_layers_over_batches_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = pt.dmatrices("x", "w")
    out = layer(x, w, None, "tanh")
    values = np.ones((3, 2)), np.full((2, 2), 0.25)
    monkeypatch.setattr(graph_tape, "LARGEST_LAYERS", 10)
    with pytest.raises(UntranslatedError, match="not near"):
        TapeFunction([out], [x, w])(*values)
    np.testing.assert_allclose(evaluated([x, w], [out])(*values)[0], np.tanh(0.5))
    monkeypatch.undo()
    many = pt.dtensor3("many")
    [batched] = vectorize_graph([out], {w: many})
    [found] = evaluated([x, many], [batched])(values[0], np.stack([values[1], 2.0 * values[1]]))
    np.testing.assert_allclose(found[1], np.tanh(1.0))


def test_one_entry_serves_all_layers_of_a_kind() -> None:
    x, w = pt.dmatrices("x", "w")
    out = layer(layer(x, w, None, "tanh"), w, None, "tanh")
    tape = TapeFunction([out], [x, w])
    tape(np.ones((3, 2)), np.ones((2, 2)))
    [prepared] = tape._known.values()
    assert len(prepared.called) == 1
    assert engine.available()
