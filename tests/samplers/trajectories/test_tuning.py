"""``tune_trajectory`` as a whole: the same seed, what it refuses, and what comes of it."""

from itertools import count
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.trajectories import effective

GIVEN: dict[str, Any] = {"lengths": (10, 40), "gradients": 1200, "chains": 3, "tune": 40}
X = np.linspace(-1, 1, 10)[:, None]


@pytest.fixture(scope="module")
def model() -> models.BNN:
    return models.normal_inverse_gamma(X, X[:, 0] ** 2, hidden=(4,))


@pytest.fixture(scope="module")
def choice(model: models.BNN) -> samplers.TrajectoryChoice:
    return samplers.tune_trajectory(model, seed=1, **GIVEN)


def untimed(found: samplers.TrajectoryChoice) -> list[xr.Dataset]:
    return [found.energies, found.along, found.lengths.drop_vars("seconds")]


def test_the_same_seed_gives_the_same_choice(
    model: models.BNN, choice: samplers.TrajectoryChoice
) -> None:
    again = samplers.tune_trajectory(model, seed=1, **GIVEN)
    for first, second in zip(untimed(choice), untimed(again), strict=True):
        xr.testing.assert_identical(first, second)
    assert again.reason == choice.reason
    other = samplers.tune_trajectory(model, seed=2, **GIVEN)
    assert not other.energies["error"].equals(choice.energies["error"])


def test_chains_of_all_lengths_take_as_many_gradients(choice: samplers.TrajectoryChoice) -> None:
    passes = choice.lengths["passes"]
    assert (passes.sel(length=40) >= 1200).all()
    assert (passes.sel(length=10) > passes.sel(length=40)).all()  # more moves of precisions
    names = {"outputs", "w0_precision", "b0_precision", "w1_precision", "noise_precision"}
    assert names <= set(choice.lengths["quantity"].values.tolist())


def test_the_steps_are_those_chosen(model: models.BNN, choice: samplers.TrajectoryChoice) -> None:
    (step,) = choice.steps(model)
    assert (step.n_leapfrog, step.step_scale) == (choice.n_leapfrog, choice.step_scale)
    idata = samplers.sample(
        model, 5, 5, 1, cores=1, step=[step], seed=1, progressbar=False, quiet=True,
        compute_convergence_checks=False,
    )  # fmt: skip
    assert (idata["sample_stats"]["n_steps"] == choice.n_leapfrog).all()
    assert idata["sample_stats"]["step_size"].values == pytest.approx(choice.step_scale)


@pytest.mark.parametrize("done", [1, 2])
def test_after_an_interruption_lengths_that_were_done_are_compared(
    done: int,
    model: models.BNN,
    choice: samplers.TrajectoryChoice,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run, calls = effective._run, count()

    def stopped(*given: Any) -> effective.Chain:
        if next(calls) > 3 * done:
            raise KeyboardInterrupt
        return run(*given)

    monkeypatch.setattr(effective, "_run", stopped)
    given = GIVEN | {"lengths": (10, 40, 50)}
    if done == 1:
        with pytest.raises(KeyboardInterrupt):
            samplers.tune_trajectory(model, seed=1, **given)
        return
    found = samplers.tune_trajectory(model, seed=1, **given)
    assert found.lengths["length"].values.tolist() == [10, 40]
    xr.testing.assert_identical(untimed(found)[2], untimed(choice)[2])
    assert (found.word, found.n_leapfrog) == ("undecided", choice.n_leapfrog)
    assert found.reason == f"Interrupted before L = 50. {choice.reason}"


def test_the_plot_has_three_panels(choice: samplers.TrajectoryChoice) -> None:
    figure = choice.plot()
    assert [bool(ax.lines) for ax in figure.axes] == [True] * 3
    plt.close(figure)


def test_without_a_stable_step_size_there_are_no_steps(model: models.BNN) -> None:
    found = samplers.tune_trajectory(model, seed=1, factors=(50.0,), **GIVEN)
    assert (found.word, found.n_leapfrog, found.step_scale) == ("none stable", None, None)
    with pytest.raises(ValueError, match="no steps to build: None stable"):
        found.steps(model)
    figure = found.plot()
    plt.close(figure)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"factors": ()}, r"factors=\(\): give one or more different positive"),
        ({"factors": (0.1, -0.3)}, "factors=.* positive"),
        ({"factors": (0.1, 0.1)}, "factors=.* different"),
        ({"lengths": (10,)}, r"lengths=\(10,\): give two or more"),
        ({"lengths": (10, 10)}, "lengths=.* different"),
        ({"lengths": (10, 0.5)}, "lengths=0.5: give a whole number of at least 1"),
        ({"lengths": 10}, "lengths=10: give two"),
        ({"gradients": 799}, "gradients=799: give a whole number of at least 800"),
        (
            {"gradients": 300, "lengths": (5, 10)},
            "gradients=300: give a whole number of at least 400",
        ),
        ({"chains": 2}, "chains=2: give a whole number of at least 3"),
        ({"tune": 0}, "tune=0: give a whole number of at least 1"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_bad_arguments_are_refused(
    model: models.BNN, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        samplers.tune_trajectory(model, **(GIVEN | arguments))
    assert "\n" not in str(refused.value)


def test_other_models_are_refused() -> None:
    with pytest.raises(ValueError, match="sampled by NUTS"):
        samplers.tune_trajectory(models.horseshoe(X, X[:, 0], hidden=(2,)))
    with pm.Model() as other:
        pm.Normal("x")
    with pytest.raises(ValueError, match="no pymc_bnn network"):
        samplers.tune_trajectory(other)
