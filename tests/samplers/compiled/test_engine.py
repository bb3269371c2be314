"""Graphs and loops compile to functions that call each other, and are cached on disk."""

import gc
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
import pytest
from numba import njit
from numba.core.dispatcher import Dispatcher
from pymc_bnn.models.simd.linked import LinkedDispatcher, LinkedLibrary
from pymc_bnn.samplers.compiled import engine

inner = engine.bound_later


def twice(x):
    """Template: apply a bound function two times."""
    return inner(inner(x))


def passed_on(x, shared):
    """Template: call a bound graph."""
    return inner(x, shared)


def test_template_calls_what_it_was_bound_to() -> None:
    assert engine.specialize(twice, inner=njit(lambda x: 3.0 * x))(1.0) == 9.0
    assert engine.specialize(twice, inner=njit(lambda x: x + 1.0))(1.0) == 3.0
    with pytest.raises(TypeError, match="bound"):
        twice(1.0)


def test_what_is_bound_to_the_same_functions_is_compiled_once() -> None:
    inner = njit(lambda x: 3.0 * x)
    assert engine.bind(twice, inner=inner) is engine.bind(twice, inner=inner)
    assert engine.bind(twice, inner=inner) is not engine.bind_inline(twice, inner=inner)
    assert engine.bind(twice, inner=inner) is not engine.bind(twice, inner=njit(lambda x: x))


def test_compiled_graph_takes_inputs_and_shared_values() -> None:
    x, shared = pt.dvector("x"), pytensor.shared(np.array([2.0, 3.0]), name="shared")
    compiled = engine.compile_graph([x], [(x * shared).sum(), x + shared])
    assert compiled.shared == [shared]
    call = engine.specialize(passed_on, inner=compiled.function)
    total, added = call(np.array([1.0, 1.0]), np.array([5.0, 6.0]))
    assert float(total) == 11.0
    np.testing.assert_array_equal(added, [6.0, 7.0])


def test_graphs_are_parts_of_their_callers_and_operations_of_what_is_kept_on_disk() -> None:
    """And compute the same to the last bit as where PyTensor compiles each part by itself."""
    x = pt.dmatrix("x")
    graph = [pt.exp(x - x.max(axis=1, keepdims=True)).sum(axis=0), pt.tanh(x[:, 1]) * 0.3]
    values = np.random.default_rng(1).normal(size=(7, 5))
    plain = in_mode(x, graph, None)(values)
    for found, expected in zip(plain, in_mode(x, graph, engine.graph_mode())(values), strict=True):
        np.testing.assert_array_equal(found, expected)
    whole = engine.compile_graph([x], graph).function
    call = engine.specialize(one_argument, inner=whole)
    for found, expected in zip(plain, call(values), strict=True):
        np.testing.assert_array_equal(found, expected)
    shell = whole.py_func
    inside = shell.__globals__["jitable_func"]
    operations = [
        found
        for name in inside.py_func.__code__.co_names
        if isinstance(found := inside.py_func.__globals__.get(name), Dispatcher)
    ]
    assert len(operations) > 3
    bodies = [found.py_func.__globals__["jitable_func"] for found in operations]
    parts = [part for part in (whole, inside, *bodies) if isinstance(part, Dispatcher)]
    assert len(parts) > 4
    for part in parts:
        for compiled in part.overloads.values():
            assert isinstance(compiled.library, LinkedLibrary)
    assert [found for found in operations if isinstance(found, LinkedDispatcher)] == []


def one_argument(x):
    """Template: call a bound graph."""
    return inner(x)


@engine.compiles
def in_mode(x: pt.TensorVariable, graph: list[pt.TensorVariable], mode: Any) -> Callable:
    """Compile a graph for Python, as steps do."""
    function = pytensor.function([x], graph, mode=mode)
    function(np.zeros((2, 2)))
    return function


def test_without_numba_the_same_templates_run_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "HAS_INTERNALS", False)
    assert not engine.available()
    assert engine.specialize(twice, inner=lambda x: x + "!")("a") == "a!!"


PROGRAM = f"""
from numba import njit
from pymc_bnn.samplers.compiled import engine
from {__name__} import twice
print(engine.specialize(twice, inner=njit(lambda x: x + 1.0))(1.0))
"""


def test_second_process_gets_the_same_from_the_cache() -> None:
    results = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert results == ["3.0\n", "3.0\n"]


def test_garbage_is_kept_while_something_compiles_and_looked_for_after() -> None:
    """Also after an error, and not where the user has switched the collector off."""

    @engine.compiles
    def collects(fails: bool = False) -> bool:
        if fails:
            raise RuntimeError
        return gc.isenabled()

    @engine.compiles
    def nested() -> tuple[bool, bool]:
        return collects(), gc.isenabled()

    assert nested() == (False, False)
    assert gc.isenabled()
    with pytest.raises(RuntimeError):
        collects(fails=True)
    assert gc.isenabled()
    gc.disable()
    try:
        collects()
        assert not gc.isenabled()
    finally:
        gc.enable()
