"""The study of Neal (1992): what is declared, and what is measured of a run."""

from pathlib import Path

import numpy as np
import pytensor
import pytest
from pymc_bnn.samplers import NUTS
from pymc_bnn.samplers.recommended import recommended_steps
from pymc_bnn.studies.neal1992.design.budgets import BUDGETS
from pymc_bnn.studies.neal1992.design.fits import (
    LEAPFROGS,
    LONGEST,
    SHORT,
    SHORT_LOGISTIC,
    fits,
)
from pymc_bnn.studies.neal1992.design.networks import NETWORKS, data_set, logistic_network
from pymc_bnn.studies.neal1992.design.printed import (
    BEST_CELL,
    EXCESS_FAILURE,
    FAILURE,
    NOISE,
    TEST_ERRORS,
)
from pymc_bnn.studies.neal1992.design.schedules import (
    ANNEALED,
    BEST,
    COOLING,
    METROPOLIS_STEPS,
    PLAIN,
    STEP_SIZES,
    for_metropolis,
    grid,
    iterations,
)
from pymc_bnn.studies.neal1992.numbers.transitions import most_rejected, transition
from pymc_bnn.studies.neal1992.runs.approximations import joint_modes
from pymc_bnn.studies.neal1992.runs.chains import LEVEL, RAW, SCALES, folded, start, weights
from pymc_bnn.studies.neal1992.runs.predicting import outputs, scored_weights, squared_error
from pymc_bnn.studies.neal1992.runs.stages import stages_of
from pymc_bnn.studies.neal1992.runs.tightness import tightness
from pymc_bnn.studies.neal1992.words.page import what_differs
from pymc_bnn.studies.reproduction.studying import find_study
from pymc_bnn.studies.reproduction.units import check_units
from pymc_bnn.studies.tables.robot_arm import arm_position

SHAPES = {"w0": (2, 3), "b0": (3,), "w1": (3, 2), "b1": (2,)}


def levels(seed: int = 0, draws: int | None = None) -> dict[str, np.ndarray]:
    """Levels of a network with three units, away from the walls."""
    rng = np.random.default_rng(seed)
    shape = () if draws is None else (draws,)
    found = {g + RAW: rng.uniform(0.2, 0.8, (*shape, *size)) for g, size in SHAPES.items()}
    return found | {g + LEVEL: rng.uniform(0.3, 0.6, shape) for g in sorted(set(SCALES.values()))}


def test_schedules_and_grids_are_those_of_the_report() -> None:
    assert [iterations(one) for one in (ANNEALED, PLAIN, COOLING)] == [200, 200, 850]
    assert iterations(for_metropolis(ANNEALED)) == 200_000
    assert for_metropolis(ANNEALED)[1][1] == pytest.approx(0.95**0.001, abs=1e-5)
    assert STEP_SIZES[0] == 0.25e-4
    assert STEP_SIZES[-1] == pytest.approx(2e-4)
    assert METROPOLIS_STEPS[-1] == pytest.approx(32e-4)
    assert (BEST.step_size, BEST.spread) == pytest.approx(BEST_CELL)
    assert len(list(grid(STEP_SIZES))) == 42


def test_printed_errors_are_on_two_scales() -> None:
    assert pytest.approx(TEST_ERRORS[0], abs=0.5) == 400 * 0.00547 / NOISE
    assert 400 * (FAILURE / NOISE - 1) == pytest.approx(EXCESS_FAILURE) == pytest.approx(200)


@pytest.mark.parametrize("name", BUDGETS)
def test_units_have_keys_of_their_own(name: str) -> None:
    units = [unit for stage in stages_of(BUDGETS[name], 0).values() for unit in stage]
    check_units(units)
    assert len({unit.key for unit in units}) == len(units)


def test_the_desk_takes_eight_minutes_on_two_cores() -> None:
    declared = stages_of(BUDGETS["desk"], 0).values()
    assert sum(unit.seconds for units in declared for unit in units) <= 15.5 * 60


def test_the_page_names_the_fit_laplace_that_is_tested() -> None:
    pinned = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    version = "pymc-extras==0.12.1"
    assert f'"{version}"' in pinned
    assert version in what_differs(BUDGETS["paper"])


def test_laplace_is_left_out_where_pymc_extras_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    there = stages_of(BUDGETS["desk"], 0, every=True)
    monkeypatch.setattr(joint_modes, "there", lambda: False)
    left = stages_of(BUDGETS["desk"], 0)
    assert there.pop("joint modes")
    assert not left.pop("joint modes")
    assert there == left


def test_short_chains_have_a_tenth_of_the_gradients_at_most() -> None:
    found = {fit.name: fit for fit in fits(BUDGETS["paper"])}
    for name, gradients in ((SHORT, LEAPFROGS), (SHORT_LOGISTIC, LONGEST)):
        share = gradients * (found[name].draws + found[name].tune) / (1000 * iterations(COOLING))
        assert 0.09 < share <= 0.1
        assert found[name].starts * found[name].sets == 100
    assert NETWORKS[found[SHORT_LOGISTIC].network](data_set(20, 0), 2).parametrization == "centered"


def test_nuts_has_no_longer_trajectories_than_short_chains_allow() -> None:
    model = NETWORKS["logistic"](data_set(20, 0), 2)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        (step,) = recommended_steps(model)
    assert isinstance(step, NUTS)
    assert 2**step.max_treedepth - 1 == LONGEST


def test_starts_of_all_runs_take_one_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    model = logistic_network(data_set(20, 0), 2)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        points = [model.initial_point(0)]
    monkeypatch.setattr(type(model), "initial_point", lambda *given: points.pop())
    one, other = (start(model, np.random.default_rng(seed)) for seed in (0, 1))
    assert not points
    rng = np.random.default_rng(0)
    for name, value in one.items():
        np.testing.assert_array_equal(value, rng.random(np.shape(value)))
        assert np.all(value != other[name])


def test_weights_are_those_of_their_levels() -> None:
    one = levels(draws=2)
    found = weights(one)
    scale = one["w1" + LEVEL] / (1 - one["w1" + LEVEL])
    a = one["b1" + RAW]
    np.testing.assert_allclose(found["b1"], scale[:, None] * np.log(a / (1 - a)))
    np.testing.assert_allclose(folded(-a), folded(a))
    np.testing.assert_allclose(folded(2.0 + a), a)


def test_errors_are_of_both_outputs() -> None:
    arm = data_set(100, 0)
    truth = arm_position(arm.X_test).to_numpy()
    by_hand = ((arm.y_test.to_numpy() - truth) ** 2).sum(axis=1).mean()
    assert squared_error(arm, truth) == pytest.approx(by_hand)


def test_draws_that_spread_cover_and_draws_that_agree_do_not() -> None:
    arm = data_set(100, 0)
    one = {g: np.repeat(w, 50, axis=0) for g, w in weights(levels(draws=1)).items()}
    same = scored_weights(arm, one)
    assert same["covered_inside"] == 0
    assert same["sd_inside"] == pytest.approx(0, abs=1e-12)
    rng = np.random.default_rng(1)
    wide = scored_weights(arm, {g: w + 20 * rng.normal(size=w.shape) for g, w in one.items()})
    assert wide["covered_inside"] > 0.9 < wide["covered_outside"]


def test_the_largest_step_is_that_of_the_tightest_slope() -> None:
    arm = data_set(100, 0)
    here = levels(3)

    def f(at: dict[str, np.ndarray]) -> np.ndarray:
        return outputs(weights({name: value[None] for name, value in at.items()}), arm.X)[0]

    steepest = 0.0
    for name, value in here.items():
        for where in np.ndindex(*value.shape):
            ends = []
            for sign in (1, -1):
                moved = np.array(value)
                moved[where] += sign * 1e-6
                ends.append(f({**here, name: moved}))
            steepest = max(steepest, float((((ends[0] - ends[1]) / 2e-6) ** 2).sum()))
    squares = ((f(here) - arm.y.to_numpy()) ** 2).sum()
    by_hand = 2 / np.sqrt(steepest * (0.1 + arm.y.size) / (0.1 + squares))
    assert tightness(here, arm.X, arm.y).largest_step == pytest.approx(by_hand, rel=1e-5)


def test_a_weight_by_a_wall_is_found() -> None:
    arm = data_set(100, 0)
    here = levels(3)
    here["w0" + RAW][0, 0] = 1 - 1e-6
    found = tightness(here, arm.X, arm.y)
    assert found.wall == pytest.approx(1e-6)
    assert found.largest == pytest.approx(
        np.abs(weights({name: value[None] for name, value in here.items()})["w0"]).max()
    )


def test_times_of_no_progress_and_late_transitions_are_told() -> None:
    moves = np.arange(200.0)
    stands = np.concatenate([np.arange(75.0), np.full(50, 80.0), np.arange(100.0, 175.0)])
    assert most_rejected(moves) == 0
    assert most_rejected(stands) > 0.95
    cools = np.geomspace(40, 1, 850)
    early = np.where(cools > 15, 1500.0, 500.0)
    late = np.where(cools > 6, 1500.0, 500.0)
    assert not transition(early, cools).late
    assert transition(late, cools).late
    warmed = cools + 5 * (late < 1000)
    assert transition(late, warmed).rise > 4
    assert not transition(np.ones(850), cools).late


def test_the_study_is_found_by_its_name() -> None:
    assert find_study("neal1992").name == "neal1992"
