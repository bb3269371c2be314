"""Changed code gets another digest, code that only looks different does not."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numba.core.event as event
import numpy as np
import pytest
from numba import njit
from numba.extending import overload
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.simd import kernels
from pymc_bnn.models.simd.function_digest import _Walk, function_digest

SOURCE = '''
import numpy as np
from numba import njit, types
from numba.core.typing.templates import signature
from numba.extending import intrinsic

SCALE = 2.0
TABLE = np.array([1.0, 2.0])

class Sort(types.Type):
    """Type of a register."""
    def __init__(self):
        super().__init__(name="Sort")

def lower(builder, x):
    return builder.fadd(x, x)

@intrinsic
def double(typing_context, x):
    """Twice a number."""
    Sort
    def codegen(context, builder, found, values):
        return lower(builder, values[0])
    return signature(types.float64, x), codegen

@njit(error_model="numpy")
def inner(x, power=2):
    """Power of a number."""
    return x**power + SCALE

def make(shift):
    @njit
    def shifted(x):
        # a comment
        part = TABLE[0] * np.exp(inner(x))
        return part + double(x) + shift
    return shifted

def unrelated(x):
    return x

kernel = make(3.0)
'''
MEANS_ANOTHER = {
    "constant": ("SCALE = 2.0", "SCALE = 3.0"),
    "array": ("np.array([1.0, 2.0])", "np.array([1.0, 3.0])"),
    "operator of a called function": ("+ SCALE", "- SCALE"),
    "default of a called function": ("power=2", "power=3"),
    "option of the compiler": ('njit(error_model="numpy")', "njit(fastmath=True)"),
    "called function": ("np.exp", "np.log"),
    "closure": ("make(3.0)", "make(4.0)"),
    "instruction": ("builder.fadd", "builder.fsub"),
    "code generator": ("values[0])", "values[-1])"),
    "type": ('name="Sort"', 'name="Kind"'),
    "order of names": ("inner(x))", "inner(x), None)"),
}
MEANS_THE_SAME = {
    "comment": ("# a comment", "# another comment"),
    "docstring": ("Power of a number.", "A number to a power."),
    "docstring of an intrinsic": ("Twice a number.", "A number, twice."),
    "docstring of a type": ("Type of a register.", "Sort of a register."),
    "place": ("def unrelated", "\n\n\ndef unrelated"),
}


_number = count()


@pytest.fixture
def digest_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    """Import a source as a module, and get the digest of its kernel."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names: list[str] = []

    def digest(source: str) -> str | None:
        names.append(f"digested_{next(_number)}")
        (tmp_path / f"{names[-1]}.py").write_text(source)
        importlib.invalidate_caches()
        return function_digest(importlib.import_module(names[-1]).kernel)

    yield digest
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("change", MEANS_ANOTHER)
def test_changed_code_has_another_digest(digest_of: Callable, change: str) -> None:
    old, new = MEANS_ANOTHER[change]
    assert old in SOURCE
    digests = digest_of(SOURCE), digest_of(SOURCE.replace(old, new))
    assert None not in digests
    assert digests[0] != digests[1]


@pytest.mark.parametrize("change", MEANS_THE_SAME)
def test_code_that_looks_different_has_the_same_digest(digest_of: Callable, change: str) -> None:
    old, new = MEANS_THE_SAME[change]
    assert old in SOURCE
    assert digest_of(SOURCE) == digest_of(SOURCE.replace(old, new)) is not None


@pytest.mark.parametrize("change", [("return x\n", "return -x\n"), ("part", "product")])
def test_without_types_only_the_functions_of_a_kernel_count(
    digest_of: Callable, change: tuple[str, str]
) -> None:
    source = SOURCE.replace("    Sort\n", "")
    assert change[0] in source
    assert digest_of(source) == digest_of(source.replace(*change))


def test_recursive_functions_have_a_digest() -> None:
    def first(n: int) -> int:
        return second(n - 1) if n else 0

    def second(n: int) -> int:
        return first(n - 1) if n else 1

    assert function_digest(first) not in (None, function_digest(second))


@pytest.mark.parametrize(
    "code",
    [
        "def kernel(x):\n    return package.part.f(x)",
        "def make(within):\n    return lambda x: within.part.f(x)\nkernel = make(package)",
        "def kernel(x):\n    outer = package\n    return (lambda z: outer.part.f(z))(x)",
        "def kernel(x, within=package):\n    return within.part.f(x)",
        "def kernel(x, *, within=package):\n    return within.part.f(x)",
    ],
    ids=["named", "closed over", "named outside", "default", "default by name"],
)
def test_a_function_in_a_module_of_a_package_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    digests = []
    for number in (6.0, 9.0):
        package = tmp_path / f"{number:.0f}" / "digested_package"
        package.mkdir(parents=True)
        monkeypatch.syspath_prepend(str(package.parent))
        for name in (package.name, f"{package.name}.part"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        # its module names it in turn
        (package / "__init__.py").write_text("from . import part")
        source = f"import {package.name} as package\ndef f(x):\n    return x + {number}\n"
        (package / "part.py").write_text(source)
        here = {"package": importlib.import_module(package.name)}
        exec(code, here)
        digests.append(function_digest(here["kernel"]))
        other = eval("lambda x: package.part.package.part.f(x)", here)
        assert function_digest(other) is not None
    assert None not in digests
    assert digests[0] != digests[1]


CODE_GENERATOR = """
from numba import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic
from . import numbers
from .instructions import EMIT

class Program:
    def write(self, builder, x):
        return EMIT["double"](builder, numbers.given(x))

@intrinsic
def kernel(typing_context, x):
    def codegen(context, builder, found, values):
        return Program().write(builder, values[0])
    return signature(types.float64, x), codegen
"""


def test_what_a_class_has_from_other_modules_of_its_package_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    digests = []
    for operation, given in (("fadd", "x"), ("fmul", "x"), ("fadd", "-x"), ("fadd", "x")):
        package = tmp_path / f"generator_{len(digests)}"
        package.mkdir()
        (package / "__init__.py").write_text("")
        (package / "instructions.py").write_text(
            "from llvmlite import ir\nDOUBLE = ir.DoubleType()\n"
            f"EMIT = {{'double': lambda builder, x: builder.{operation}(x, x), 'of': DOUBLE}}\n"
        )
        (package / "numbers.py").write_text(f"def given(x):\n    return {given}\n")
        (package / "code.py").write_text(CODE_GENERATOR)
        module = importlib.import_module(f"{package.name}.code")
        digests.append(function_digest(module.kernel))
    assert None not in digests
    assert digests[0] == digests[3]
    assert len(set(digests)) == 3


def test_what_cannot_be_known_has_no_digest() -> None:
    unknown = object()
    assert function_digest(lambda: unknown) is None

    def stub(x: float) -> float:
        return x

    assert function_digest(lambda x: stub(x)) is not None
    overload(stub)(lambda x: lambda x: x + 2.0)
    assert function_digest(lambda x: stub(x)) is None


class Compiled(event.Listener):
    """Remembers which functions numba compiles."""

    def __init__(self) -> None:
        self.functions: list[Any] = []

    def on_start(self, event: Any) -> None:
        self.functions.append(event.data["dispatcher"].py_func)

    def on_end(self, event: Any) -> None:
        pass


def test_all_that_is_compiled_for_a_kernel_was_found() -> None:
    kernels.layer_pullback.cache_clear()
    kernel = kernels.layer_pullback(ACTIVATIONS["softplus"])
    walk = _Walk()
    list(walk.tokens(kernel))
    compiled, ones = Compiled(), np.ones((3, 2))
    event.register("numba:compile", compiled)
    try:
        kernel.py_func.__globals__["sum_part"].recompile()
        njit(lambda x, output, cotangent: kernel(x, output, cotangent))(ones, ones, ones)
    finally:
        event.unregister("numba:compile", compiled)
    ours = [f for f in compiled.functions if f.__module__.startswith("pymc_bnn")]
    assert len(ours) >= 2
    assert all(id(function) in walk.met for function in ours)


PROGRAM = """
from pymc_bnn.models import Bernoulli, Categorical, GaussianNoise
from pymc_bnn.models.activations import ACTIVATIONS
from pymc_bnn.models.simd.function_digest import function_digest
from pymc_bnn.samplers.batch.network.potential import compile_potential
from pymc_bnn.samplers.potential.likelihood_kernels import kernel_of
from pymc_bnn.samplers.potential.network_potential import network_entry
from pymc_bnn.samplers.sweeps.split.trajectory import dynamics
print(*(function_digest(f) for f in dynamics(False).values()))
for name in ACTIVATIONS.values():
    for likelihood in (GaussianNoise, Bernoulli, Categorical):
        single = network_entry(name, kernel_of(likelihood).energy, True, "float32")
        print(function_digest(single.function))
        print(*(function_digest(f) for f in compile_potential(name, likelihood)))
"""


def test_kernels_have_the_same_digests_in_every_process() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert "None" not in found[0]
