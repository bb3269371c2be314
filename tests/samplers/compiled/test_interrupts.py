"""Ctrl-C in the midst of compiled code neither ends the process nor is lost."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from numba import njit
from pymc_bnn.samplers.compiled.interrupts import hold_interrupts

# calls are short, so that most signals fall into what numba does to read the generator
HAMMER = """
import signal
import numpy as np
from pymc_bnn.samplers.compiled import engine

def total(rng, n):
    return rng.random(n).sum()

signal.signal(signal.SIGINT, signal.default_int_handler)  # processes may start with it ignored
draw, rng = engine.specialize(total), np.random.default_rng(1)
draw(rng, 3)
times = np.random.default_rng(2).uniform(1e-5, 1e-3, size=1000)
signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
interrupted = 0
for seconds in times:
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        while True:
            draw(rng, 3)
    except KeyboardInterrupt:
        interrupted += 1
print(interrupted)
"""


def test_interrupts_while_numba_reads_a_generator_are_raised() -> None:
    run = subprocess.run([sys.executable, "-c", HAMMER], capture_output=True, text=True)
    assert (run.returncode, run.stdout.strip()) == (0, "1000"), run.stderr


def interrupting() -> tuple:
    """A compiled function that is interrupted in its midst, and what it has done so far."""
    done = np.zeros(1)

    def compute(values: np.ndarray) -> None:
        values[0] += 1.0
        signal.raise_signal(signal.SIGINT)
        values[0] += 1.0

    compute.signatures = [()]
    return hold_interrupts(compute), done


@contextmanager
def handling(handler: signal.Handlers | Callable) -> Iterator[None]:
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_interrupt_comes_after_the_call_and_only_once() -> None:
    call, done = interrupting()
    with handling(signal.default_int_handler), pytest.raises(KeyboardInterrupt):
        call(done)
    assert done == 2.0


def test_an_ignored_interrupt_stays_ignored() -> None:
    call, done = interrupting()
    with handling(signal.SIG_IGN):
        call(done)
    assert done == 2.0


def test_other_threads_call_without_touching_handlers() -> None:
    twice = hold_interrupts(njit(lambda x: 2.0 * x))
    results: list[float] = []
    thread = threading.Thread(target=lambda: results.append(twice(1.5)))
    thread.start()
    thread.join()
    assert results == [3.0]
