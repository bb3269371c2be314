"""Functions that are compiled as parts of their callers."""

from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.dispatcher import Dispatcher
from pymc_bnn.models.simd.function_digest import function_digest
from pymc_bnn.models.simd.kernels import dot
from pymc_bnn.models.simd.linked import HAS_INTERNALS, OPTIONS, LinkedLibrary, linked


def polynomial(x: Any) -> Any:
    return 1.0 + x * (0.3 + x * (0.7 + x * 0.1))


def added(a: Any) -> Any:
    total = 0.0
    for i in range(a.size):
        total += a[i]
    return total


def chain(decorate: Any) -> Dispatcher:
    """Functions that call each other, with loops that SIMD code runs."""
    inner = decorate(polynomial)

    @decorate
    def summed(a: Any) -> Any:
        total = 0.0
        for i in range(a.size):
            total += inner(a[i])
        return total

    return summed


@pytest.mark.parametrize("optimised", [False, True])
def test_callers_compute_the_same_to_the_last_bit(optimised: bool) -> None:
    rng = np.random.default_rng(0)
    ordinary, ours = chain(njit(**OPTIONS)), chain(linked(optimised))
    whole = [njit(**OPTIONS)(lambda a, f=f: f(a) * f(a[1:])) for f in (ordinary, ours)]
    for size in (1, 2, 7, 64, 1001):
        a = rng.normal(size=size)
        assert whole[0](a) == whole[1](a)


def test_python_may_call_before_and_after_a_caller_was_compiled() -> None:
    function = linked()(polynomial)
    for _ in range(2):
        assert function(1.0) == polynomial(1.0)
        assert njit(lambda x: function(x))(1.0) == polynomial(1.0)
    function = linked()(polynomial)
    assert njit(lambda x: function(x))(1.0) == function(1.0)
    assert dot(np.ones(2), np.ones(2)) == 2.0


def test_no_machine_code_is_made() -> None:
    assert HAS_INTERNALS, "numba's internals have changed: every function is compiled by itself"
    function = linked()(polynomial)
    assert njit(lambda x: function(x))(1.0) == polynomial(1.0)
    [compiled] = function.overloads.values()
    assert isinstance(compiled.library, LinkedLibrary)
    name = compiled.fndesc.llvm_func_name
    assert compiled.library.get_function(name) is not None
    assert not compiled.library.codegen._engine.is_symbol_defined(name)


def test_what_is_optimised_first_has_other_code_and_another_digest() -> None:
    code, digests = {}, set()
    for optimised in (False, True):
        function = linked(optimised, fastmath={"contract", "reassoc"})(added)
        assert njit(lambda a, f=function: f(a))(np.ones(3)) == 3.0
        [compiled] = function.overloads.values()
        code[optimised] = str(compiled.library._final_module)
        digests.add(function_digest(function))
    assert ["x double>" in code[optimised] for optimised in (False, True)] == [False, True]
    assert len(digests) == 2


def test_errors_of_a_linked_function_reach_python() -> None:
    @linked()
    def check(x: float) -> float:
        if x < 0:
            raise ValueError("negative")
        return x

    caller = njit(lambda x: check(x))
    assert caller(1.0) == 1.0
    with pytest.raises(ValueError, match="negative"):
        caller(-1.0)
