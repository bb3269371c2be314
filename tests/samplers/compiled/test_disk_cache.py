"""Compiled code on disk survives other processes, other threads, and damage."""

import os
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import FunctionCache
from pymc_bnn import models, samplers
from pymc_bnn.models.simd.disk_cache import limit_size

from .imported import Imported, imported

SETUP = """
import numba.core.event as event
import numpy as np
import pytensor.tensor as pt
from numba import njit
from pymc_bnn.samplers.compiled import engine

class Count(event.Listener):
    compiled = 0
    def on_start(self, event):
        self.compiled += 1
    def on_end(self, event):
        pass

count = Count()
event.register("numba:compile", count)
inner = engine.bound_later

def template(x):
    return inner(x)
"""

GRAPH = """
def run():
    count.compiled = 0
    x = pt.vector("x", shape=(3,), dtype="float64")
    graph = engine.compile_graph([x], [pt.tanh(x).sum() + 1.5])
    call = engine.specialize(template, inner=graph.function)
    print(float(call(np.zeros(3))[0]), count.compiled > 0)
"""

SHIFT = """
def shift(by):
    return engine.specialize(template, inner=njit(lambda x: x + by))
"""

ANEW, FROM_DISK = ["1.5", "True"], ["1.5", "False"]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Fill a cache by two processes that go on together from imports on an empty one.

    The slower one may find what the faster one has just written: either way it must be right.
    """
    with imported(SETUP, tmp_path_factory.mktemp("cache")) as started:
        found = started.run(GRAPH + "run()", GRAPH + "run()")
        assert ANEW in found
        assert len(found) == 2
        assert all(result in (ANEW, FROM_DISK) for result in found)
        yield started


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Imported]:
    """Have a cache for functions that no two tests have in common."""
    with imported(SETUP, tmp_path_factory.mktemp("cache")) as started:
        yield started


def test_two_processes_on_an_empty_cache_leave_a_good_one(filled: Imported) -> None:
    assert filled.run(GRAPH + "run()") == [FROM_DISK]


DAMAGED = """
import pytensor
DAMAGES = (
    lambda content: content[: len(content) // 2],
    lambda content: b"",
    lambda content: bytes([0, 255]) * 500,
    None,
)
for kind in ("nbi", "nbc"):
    for damage in DAMAGES:
        for file in pytensor.config.base_compiledir.rglob("*." + kind):
            file.write_bytes(damage(file.read_bytes())) if damage else file.unlink()
        run()
        run()
"""


def test_damaged_and_missing_files_are_compiled_anew_and_replaced(filled: Imported) -> None:
    assert filled.run(GRAPH + DAMAGED) == 8 * [ANEW, FROM_DISK]


def test_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    program = f"import shutil; shutil.rmtree({str(tmp_path)!r}); run(); run()"
    with imported(SETUP, tmp_path) as started:
        assert started.run(GRAPH + program) == [ANEW, ANEW]


def test_what_a_template_is_bound_to_tells_its_files_apart(another: Imported) -> None:
    program = SHIFT + "print(shift(1.0)(1.0), shift(2.0)(1.0), shift(1.0) is shift(1.0))"
    expected = [["2.0", "3.0", "True"]]
    assert another.run(program) == expected
    assert another.run(program) == expected


def test_moved_functions_are_not_compiled_anew(another: Imported, tmp_path: Path) -> None:
    source = "from numba import njit\n@njit\ndef called(x):\n    if x < -1.0:\n"
    source += "        raise ValueError('too small', 3)\n    return x + 1.0\n"
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    program += "from {} import called; count.compiled = 0\n"
    program += "call = engine.specialize(template, inner=called)\n"
    program += "print(call(1.0), count.compiled > 0)"
    (tmp_path / "first.py").write_text(source)
    for expected in ("True", "False"):
        assert another.run(program.format("first")) == [["2.0", expected]]
    (tmp_path / "first.py").rename(tmp_path / "second.py")
    assert another.run(program.format("second")) == [["2.0", "False"]]
    refused = "\ntry:\n    call(-2.0)\nexcept ValueError as error:\n    print(*error.args)"
    said = another.run(program.format("second") + refused)
    assert said == [["2.0", "False"], ["too", "small", "3"]]
    (tmp_path / "second.py").write_text(source.replace("1.0\n", "2.0\n"))
    for expected in ("True", "False"):
        assert another.run(program.format("second")) == [["3.0", expected]]


def test_a_module_that_is_there_and_imports_one_that_is_gone_stays_an_error(
    another: Imported, tmp_path: Path
) -> None:
    """The moved function is compiled anew then, and no module is left half imported."""
    (tmp_path / "absent_later.py").write_text("")
    source = "from numba import njit\n@njit\ndef called(x):\n    return x + 5.0\n"
    (tmp_path / "former.py").write_text("import absent_later\n" + source)
    program = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    program += "from {} import called; count.compiled = 0\n"
    program += "print(engine.specialize(template, inner=called)(1.0), count.compiled > 0)"
    assert another.run(program.format("former")) == [["6.0", "True"]]
    (tmp_path / "absent_later.py").unlink()
    (tmp_path / "latter.py").write_text(source)
    left = "\nprint([name for name in ('former', 'absent_later') if name in sys.modules])"
    said = another.run(program.format("latter") + left)
    assert said == [["6.0", "True"], ["[]"]]


OTHER_THREAD = """
import pickle, threading
from numba.core import environment
from pymc_bnn.models.simd import disk_cache

pickled = pickle.dumps((environment._rebuild_env, ("a_module_that_is_gone", [2.5], "a name")))
assert b"pymc_bnn" not in pickled

def rebuild():
    function, arguments = pickle.loads(pickled)
    try:
        found.append(function(*arguments).consts)
    except ModuleNotFoundError as error:
        found.append(error.name)

found = []
disk_cache._loading.ours = True
other = threading.Thread(target=rebuild)
other.start()
other.join()
rebuild()
disk_cache._loading.ours = False
rebuild()
print(*found)
"""


def test_functions_of_others_find_gone_modules_gone(another: Imported) -> None:
    expected = ["a_module_that_is_gone", "[2.5]", "a_module_that_is_gone"]
    assert another.run(OTHER_THREAD) == [expected]


def write(folder: Path, name: str, size: int, used: float) -> None:
    (folder / name).write_bytes(bytes(size))
    os.utime(folder / name, (used, used))


def test_functions_not_used_for_longest_make_room(tmp_path: Path) -> None:
    for i in range(8):  # the index says when a function was last used
        write(tmp_path, f"a.f-{i}.py312.nbi", 100, used=1000.0 - i)
        write(tmp_path, f"a.f-{i}.py312.0123456789abcdef.1.nbc", 800, used=5.0)
        write(tmp_path, f"a.f-{i}.py312.2.nbc", 100, used=5.0)
    write(tmp_path, "a.f-7.py312.nbi.tmp.0123456789abcdef", 50, used=5.0)
    write(tmp_path, "notes.txt", 10_000, used=1.0)
    assert limit_size(tmp_path, 8050) == 0
    assert limit_size(tmp_path, 8000) == 2050  # down to three quarters
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[-1] == "notes.txt"
    assert [name for name in left if name.endswith("nbi")] == [
        f"a.f-{i}.py312.nbi" for i in range(6)
    ]
    assert len(left) == 1 + 3 * 6


def test_a_function_that_is_loaded_counts_as_used(filled: Imported) -> None:
    for file in filled.cache.rglob("*.nb?"):
        os.utime(file, (1.0, 1.0))
    assert filled.run(GRAPH + "run()") == [FROM_DISK]
    used = {file.name for file in filled.cache.rglob("*.nbi") if file.stat().st_mtime > 1.0}
    assert any(".template-" in name for name in used)


# One process has read the empty index and chosen a file; before it writes, the other one does all.
INTERLEAVED = (
    SHIFT
    + """
first = shift(5)
engine._in_use.clear()
second = shift(5)
save_first = first._cache._cache_file._save_index
save_second = second._cache._cache_file._save_index

def save_between(chosen):
    def save_both(other_chosen):
        save_first(chosen)
        save_second(other_chosen)
    second._cache._cache_file._save_index = save_both
    second(1)

first._cache._cache_file._save_index = save_between
first(0.5)
engine._in_use.clear()
print(shift(5)(1), shift(5)(0.5))
"""
)


def test_processes_that_save_other_types_do_not_mix_up_their_files(another: Imported) -> None:
    assert another.run(INTERLEAVED) == [["6", "5.5"]]


def test_threads_get_the_draws_that_one_thread_gets() -> None:
    X = np.linspace(-1.0, 1.0, 10)[:, None]
    found: list[tuple[str, float]] = []

    def run(variant: Callable) -> None:
        idata = samplers.sample(
            variant(X, X[:, 0] ** 2, hidden=(3,)),
            draws=3,
            tune=2,
            chains=1,
            cores=1,
            seed=1,
            progressbar=False,
            quiet=True,
            compute_convergence_checks=False,
        )
        found.append((variant.__name__, float(idata["posterior"]["w0"].sum())))

    variants = [models.gaussian, models.normal_inverse_gamma, models.ard, models.gaussian]
    for variant in variants:
        run(variant)
    alone, found[:] = sorted(found), []
    ready = threading.Barrier(len(variants))

    def run_with_the_others(variant: Callable) -> None:
        ready.wait()
        run(variant)

    threads = [threading.Thread(target=run_with_the_others, args=(v,)) for v in variants]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert sorted(found) == alone


def test_functions_of_users_keep_the_cache_of_numba(tmp_path: Path) -> None:
    module = tmp_path / "of_a_user.py"
    module.write_text("def twice(x):\n    return 2 * x\n")
    scope = runpy.run_path(str(module))
    models.normal_inverse_gamma(np.zeros((3, 1)), np.zeros(3), hidden=(1,))  # everything is loaded
    function: Any = numba.njit(cache=True)(scope["twice"])
    assert type(function._cache) is FunctionCache
    assert function(2) == 4
