"""Threads of one process do not change what others sample, draw or show."""

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any

import cloudpickle
import matplotlib.pyplot as plt
import numpy as np
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.models.prior_functions import prior_draws
from pymc_bnn.models.simd.one_thread import COMPILING
from pymc_bnn.samplers.potential.temperature import at_temperature, current
from pymc_bnn.studies.pages.drawing import off_screen

ITERATIONS = 300


@pytest.fixture(scope="module")
def model() -> models.BNN:
    X = np.linspace(-1.0, 1.0, 8)[:, None]
    return models.normal_inverse_gamma(X, X[:, 0], hidden=(3,))


def chain(step: Any, model: models.BNN) -> np.ndarray:
    """Potential energies along a chain."""
    step.setup_chain(np.random.default_rng(1), tune=0, draws=ITERATIONS)
    step.stop_tuning()
    point, energies = model.initial_point(0), []
    for _ in range(ITERATIONS):
        point, [statistics] = step.step(point)
        energies.append(statistics["model_logp"])
    return np.array(energies)


def test_a_temperature_is_that_of_the_thread_alone(
    model: models.BNN, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = samplers.GibbsHMC(n_leapfrog=3, model=model)
    alone, seen, stop = chain(step, model), [], Event()
    iterate = type(step)._iterate

    def watched(self: Any, point: Any) -> Any:
        seen.append(current(model))
        return iterate(self, point)

    def temper() -> None:
        while not stop.is_set():
            with at_temperature(model, 50.0):
                stop.wait(1e-4)

    monkeypatch.setattr(type(step), "_iterate", watched)
    other, interval = Thread(target=temper), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    other.start()
    try:
        beside = chain(step, model)
    finally:
        stop.set()
        other.join()
        sys.setswitchinterval(interval)
    assert set(seen) == {1.0}
    np.testing.assert_array_equal(beside, alone)


def test_a_step_samples_in_one_thread(model: models.BNN) -> None:
    step = samplers.GibbsHMC(n_leapfrog=3, model=model)
    chain(step, model)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(step.step, model.initial_point(0))
        with pytest.raises(ValueError, match="GibbsHMC was set up in another thread"):
            other.result()
        assert len(pool.submit(chain, step, model).result()) == ITERATIONS  # set up anew


def test_functions_of_the_prior_are_those_of_their_seed(model: models.BNN) -> None:
    def weights(seed: int) -> np.ndarray:
        return prior_draws(model, 3, seed=seed).weights["w0"]

    alone = [weights(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        np.testing.assert_array_equal(list(pool.map(weights, range(4))), alone)


def free(found: Any) -> None:
    """Say whether the lock can be had."""
    found.put(COMPILING.acquire(timeout=5.0))


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_forked_process_does_not_wait_for_a_thread_that_it_lacks() -> None:
    context, holds, ends = multiprocessing.get_context("fork"), Event(), Event()

    def hold() -> None:
        with COMPILING:
            holds.set()
            ends.wait(30.0)

    other, found = Thread(target=hold), context.SimpleQueue()
    other.start()
    holds.wait(30.0)
    process = context.Process(target=free, args=(found,))
    process.start()
    try:
        process.join(30.0)
        assert found.get()
    finally:
        ends.set()
        other.join()


@pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be forked")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_other_processes_sample_at_the_temperature_of_their_own_thread(model: models.BNN) -> None:
    context, holds, ends = multiprocessing.get_context("fork"), Event(), Event()
    step = samplers.GibbsHMC(n_leapfrog=3, model=model)

    def temper() -> None:
        with at_temperature(model, 50.0):
            holds.set()
            ends.wait(30.0)

    other, found = Thread(target=temper), context.SimpleQueue()
    other.start()
    holds.wait(30.0)
    process = context.Process(target=lambda: found.put(current(model)))
    process.start()
    with ThreadPoolExecutor(1) as pool:
        pickled = pool.submit(cloudpickle.dumps, step)
        try:
            assert found.get() == 1.0
            assert not pickled.done()  # it waits
        finally:
            ends.set()
            other.join()
            process.join(30.0)
    assert current(cloudpickle.loads(pickled.result()).model) == 1.0
    with at_temperature(model, 4.0):  # that of this thread goes along
        assert current(cloudpickle.loads(cloudpickle.dumps(step)).model) == 0.25
        process = context.Process(target=lambda: found.put(current(model)))
        process.start()
        assert found.get() == 0.25
        process.join(30.0)


def test_figures_of_others_stay_open() -> None:
    others, own = len(plt.get_fignums()), plt.figure()
    with off_screen():
        plt.figure()
    assert own.number in plt.get_fignums()
    assert len(plt.get_fignums()) == others + 1
    plt.close(own)
