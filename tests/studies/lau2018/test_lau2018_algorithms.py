"""Algorithms 3 and 9 of Lau's thesis: windows that grow, and the first step size."""

from collections.abc import Callable
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import samplers
from pymc_bnn.studies.lau2018.design.experiments import trajectories
from pymc_bnn.studies.lau2018.design.published import printed
from pymc_bnn.studies.lau2018.numbers.algorithms import LEAPFROGS, UNKNOWN, VARIANCE
from pymc_bnn.studies.lau2018.runs.first_steps import GIVEN, compare_first_steps, find_first_step
from pymc_bnn.studies.lau2018.runs.windows import (
    UPDATES,
    drawn_places,
    equal_places,
    plane,
    update_variances,
)
from pymc_bnn.studies.lau2018.words import algorithms
from pymc_bnn.studies.reproduction.verdicts import Verdict

STEP, N, STARTS = 1.2, 3, 400_000
State = tuple[np.ndarray, np.ndarray]


def leapfrog(state: State, step: np.ndarray) -> State:
    q, p = state
    p = p - 0.5 * step * q
    q = q + step * p
    return q, p - 0.5 * step * q


def weight(state: State, start: State) -> np.ndarray:
    return np.exp(0.5 * (start[0] ** 2 + start[1] ** 2 - state[0] ** 2 - state[1] ** 2))


def simulated(name: str, rng: np.random.Generator) -> np.ndarray:
    """Squared positions after one update, state by state, as the algorithm is printed."""
    start = tuple(rng.standard_normal((2, STARTS)))
    if name == "by shares, start anywhere":
        backwards = np.arange(N) < rng.integers(0, N + 1, STARTS)[:, None]
    else:
        backwards = rng.random((STARTS, N)) < 0.5
    back = forth = kept = start
    last = total = np.ones(STARTS)
    for turn in backwards.T:
        back = tuple(np.where(turn, a, b) for a, b in zip(leapfrog(back, -STEP), back, strict=True))
        forth = tuple(
            np.where(turn, b, a) for a, b in zip(leapfrog(forth, STEP), forth, strict=True)
        )
        new = tuple(np.where(turn, a, b) for a, b in zip(back, forth, strict=True))
        found = weight(new, start)
        total = total + found
        beside = {"as printed": last, "beside the kept state": weight(kept, start)}.get(name, total)
        accepted = rng.random(STARTS) < found / beside
        kept = tuple(np.where(accepted, a, b) for a, b in zip(new, kept, strict=True))
        last = found
    return kept[0] ** 2


@pytest.mark.parametrize("name", UPDATES)
def test_integrals_are_those_of_updates_that_keep_one_state(name: str) -> None:
    """By shares, keeping one state at a time comes to a choice from the whole trajectory."""
    squares = simulated(name, np.random.default_rng(3))
    expected = UPDATES[name](plane(STEP, N), N)
    assert abs(squares.mean() - expected) < 4 * squares.std() / np.sqrt(STARTS)
    if name != "by shares, start anywhere":
        assert abs(expected - 1) > 5 * squares.std() / np.sqrt(STARTS)


def test_only_a_start_anywhere_leaves_a_normal_as_it_is() -> None:
    found = update_variances((0.5, 1.5), 4)["variance"].isel(points=0)
    assert abs(found.sel(update="by shares, start anywhere") - 1).max() < 1e-10
    for name in ("as printed", "beside the kept state", "by shares"):
        assert abs(found.sel(update=name) - 1).min() > 5e-4
    for places in (drawn_places(N), equal_places(N)):
        assert places.sum() == pytest.approx(1.0)
    assert drawn_places(2).tolist() == [0.25, 0.5, 0.25]


def test_whole_windows_are_a_row_beside_windowed_ones() -> None:
    rows = {row.row: row for row in trajectories()}
    for steps in (10, 50, 100, 200, 500):
        row = rows[f"whole-{steps}"]
        assert row.sampler.options["window"] == steps + 1
        here, there = (
            printed("trajectories", **rows[f"{kind}-{steps}"].at)["test_error"]
            for kind in ("whole", "windowed")
        )
        assert here == there > 0
        assert "window" not in rows[f"static-{steps}"].sampler.options


@pytest.mark.parametrize("curvature", [1e-6, 0.3, 0.7, 40.0, 1e9])
def test_the_first_step_is_where_acceptance_crosses_a_half(curvature: float) -> None:
    def energy_error(step: float) -> float:
        return curvature * step**2 if step < 1e4 else np.inf

    step = find_first_step(energy_error)
    low, high = (step / 2, step) if energy_error(1.0) < np.log(2) else (step, 2 * step)
    assert energy_error(low) <= np.log(2) <= energy_error(high)
    assert np.log2(step) == round(np.log2(step))


def test_a_step_that_diverges_is_halved() -> None:
    errors: Callable[[float], float] = lambda step: np.nan if step > 0.1 else 0.0  # noqa: E731
    assert find_first_step(errors) == 0.0625


def test_warm_ups_share_starts_and_differ_by_their_first_step() -> None:
    assert signature(samplers.NUTS).parameters["step_scale"].default == GIVEN
    found = compare_first_steps(chains=2, tune=1, seed=1)
    np.testing.assert_allclose(found["step_size"], found["first"])
    given, other = found["first"].transpose("way", "chain").values
    assert (given == GIVEN).all()
    assert (other != GIVEN).all()
    assert (found["n_steps"] > 0).all()
    longer, again = (compare_first_steps(chains=2, tune=4, seed=1) for _ in range(2))
    assert longer.equals(again)
    assert (longer["n_steps"] > found["n_steps"]).all()


@pytest.mark.parametrize(
    ("off", "verdict"),
    [(2e-5, Verdict.STANDS), (-3e-3, Verdict.FAILS), (1.01e-4, Verdict.UNDECIDED)],
)
def test_updates_are_judged_by_what_is_known(off: float, verdict: Verdict) -> None:
    rows = [{"row": name, "step size": 0.5, VARIANCE: 1 + off, UNKNOWN: 5e-6} for name in UPDATES]
    claims = algorithms.windows({"windows": pd.DataFrame(rows)})
    assert {claim.verdict for claim in claims} == {verdict}
    assert len(claims) == len(UPDATES)
    assert f"{off:+.5f} at 0.5" in claims[0].evidence


@pytest.mark.parametrize(
    ("factors", "verdict"),
    [
        ([0.7, 0.75, 0.8], Verdict.STANDS),
        ([1.4, 1.5, 1.3], Verdict.FAILS),
        ([0.8, 1.1, 1.0], Verdict.UNDECIDED),
    ],
)
def test_first_steps_are_judged_by_leapfrogs(factors: list[float], verdict: Verdict) -> None:
    table = {LEAPFROGS.format("given"): 1000.0, LEAPFROGS.format("found"): 1000 * np.array(factors)}
    tables = {"first_steps": pd.DataFrame(table)}
    [claim] = algorithms.first_steps(tables)
    assert claim.verdict is verdict
    assert bool(algorithms.why_given(tables)) == (verdict is not Verdict.STANDS)
