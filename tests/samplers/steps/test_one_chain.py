"""Chains that are moved by hand are set up, warmed up and drawn as ``pm.sample`` does it."""

from typing import Any

import numpy as np
import pymc as pm
from pymc_bnn.samplers import StaticHMC
from pymc_bnn.samplers.one_chain import iterate_chain


class Told:
    """Takes down what it is told, and counts."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def setup_chain(self, rng: Any, tune: int, draws: int) -> None:
        self.told.append((rng, tune, draws))

    def stop_tuning(self) -> None:
        self.told.append("tuned")

    def step(self, point: dict[str, int]) -> tuple[dict[str, int], list]:
        self.told.append(point["x"])
        return {"x": point["x"] + 1}, [{"from": point["x"]}]


def test_a_step_is_set_up_at_once_and_tuned_until_the_first_draw_is_asked_for() -> None:
    step: Any = Told()
    chain = iterate_chain(step, {"x": 5}, "rng", tune=2, draws=2)  # type: ignore[arg-type]
    assert step.told == [("rng", 2, 2)]
    found = [next(chain), next(chain)]
    assert step.told == [("rng", 2, 2), 5, 6]
    found += chain
    assert step.told == [("rng", 2, 2), 5, 6, "tuned", 7, 8]
    assert [(at.point["x"], at.statistics, at.tuning) for at in found] == [
        (6, [{"from": 5}], True),
        (7, [{"from": 6}], True),
        (8, [{"from": 7}], False),
        (9, [{"from": 8}], False),
    ]


def test_draws_are_those_of_pymc() -> None:
    with pm.Model() as model:
        pm.Normal("x", shape=2)
        step = StaticHMC(n_leapfrog=3, step_sizes="adapt")
    start = model.initial_point()
    options: Any = {"chains": 1, "cores": 1, "progressbar": False, "quiet": True}
    with model:
        idata = pm.sample(6, tune=20, step=step, initvals=start, random_seed=7, **options)
    [rng] = np.random.default_rng(7).spawn(1)
    rng.integers(2**30)  # by which PyMC would choose a start
    chain = iterate_chain(step, start, rng, tune=20, draws=6)
    drawn = [point["x"] for point, _, tuning in chain if not tuning]
    np.testing.assert_array_equal(idata["posterior"]["x"][0], drawn)
