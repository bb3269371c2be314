"""What the tests of the models share."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytensor
import pytest
from pytensor.compile.mode import Mode


@pytest.fixture
def python_mode() -> Iterator[Mode]:
    """PyTensor's interpreter: it needs no compiler and knows nothing of our kernels."""
    with interpreter() as mode:
        yield mode


@contextmanager
def interpreter() -> Iterator[Mode]:
    """Have graphs interpreted that are compiled with this mode, here."""
    with pytensor.config.change_flags(cxx=""):
        # fused operations are for compiled backends: NumPy takes 32 operands at most
        yield Mode(linker="py", optimizer="fast_compile").excluding("fusion")


@pytest.fixture(autouse=True)
def without_compiling(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have graphs interpreted that a test evaluates without naming a mode; compiling takes longer.

    Tests marked ``compiled`` are about what numba makes of them.
    """
    if request.node.get_closest_marker("compiled") is not None:
        yield
        return
    with pytensor.config.change_flags(cxx="", mode="FAST_COMPILE"):
        yield
