"""Hidden layers are the simplest that predict about as well as the best that was tried."""

import contextlib
import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.structure import likelihoods, pilots, store
from pymc_bnn.studies.structure.choosing import (
    FEWEST_ROWS,
    Structure,
    Tried,
    choose,
    choose_structure,
    named,
)
from pymc_bnn.studies.structure.pilots import Pilot, run_pilots

from ..conftest import TINY, call, houses


def made(*behind: float, error: float = 0.1, cases: int = 64) -> list[Pilot]:
    """Pilots so far behind the first, with that standard error of the paired difference."""
    rng = np.random.default_rng(1)
    score = rng.normal(size=cases)
    found = [Pilot((1,), score, 1.0)]
    for units, gap in enumerate(behind, start=2):
        apart = rng.normal(size=cases)
        apart = gap + error * np.sqrt(cases) * (apart - apart.mean()) / apart.std(ddof=1)
        found.append(Pilot((units,), score - apart, 1.0))
    return found


def test_the_simplest_within_a_standard_error_of_the_best_is_chosen() -> None:
    assert choose(made(0.5, 0.3)).hidden == (1,)  # it is the best
    assert choose(made(-0.09)).hidden == (1,)  # the second is better, by less than its error
    assert choose(made(-0.11)).hidden == (2,)
    chosen = choose(made(-0.5, -0.52))
    assert chosen.hidden == (2,)  # not the best of three, but simpler
    assert [round(one.behind, 2) for one in chosen.tried] == [0.52, 0.02, 0.0]
    assert "the simplest of 1, 2, 3 in pilot runs scored on 64 of the training cases that is " in (
        chosen.words()
    )
    assert chosen.table["chosen"].tolist() == [False, True, False]


def test_a_small_difference_is_not_said_to_be_none() -> None:
    tried = (Tried((8,), -0.5, 0.0004, 0.00042, 1.0), Tried((16,), -0.4996, 0.0, 0.0, 1.0))
    assert "16 (0.0004 ± 0.0004 nats per case)" in Structure((8,), tried, 70).words()


def test_a_pilot_that_fails_is_not_chosen() -> None:
    first, second = made(0.2)
    for bad in (np.nan, -np.inf):
        lost = Pilot((1,), np.where(np.arange(64) == 3, bad, first.log_score), 1.0)
        assert choose([lost, second]).hidden == (2,)


def test_pilots_keep_the_order_of_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, sample = [], pilots._sample
    monkeypatch.setattr(pilots, "DRAWS", 10)
    monkeypatch.setattr(pilots, "TUNE", 10)

    def kept(model: models.BNN, *run: Any) -> Any:
        seen.append(model.classes)
        return sample(model, *run)

    monkeypatch.setattr(pilots, "_sample", kept)
    X = pd.DataFrame({"x": np.linspace(-1, 1, 60)}, index=range(100, 160))
    y = pd.Categorical(["low", "mid", "high"] * 20, ["low", "mid", "high"], ordered=True)
    for targets in (y, pd.Series(y, index=X.index)):
        [pilot] = run_pilots(X, targets, "ordered", candidates=[()], cores=1)
        assert np.isfinite(pilot.log_score).all()
    assert seen == [("low", "mid", "high")] * 2


@pytest.fixture(scope="module")
def bump() -> tuple[pd.DataFrame, np.ndarray]:
    """A function that takes several units: a wave with four turns."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"x": rng.uniform(-2, 2, 240)})
    return X, np.sin(6 * X["x"].to_numpy()) + 0.1 * rng.normal(size=240)


def test_more_units_are_chosen_where_few_cannot_follow(
    bump: tuple[pd.DataFrame, np.ndarray],
) -> None:
    said: list[tuple[int, ...]] = []
    wanted = {"candidates": [(1,), (12,)], "cores": 1, "seed": 1}
    found = choose_structure(
        *bump, "gaussian_noise", finished=lambda pilot: said.append(pilot.hidden), **wanted
    )
    assert found.hidden == (12,)
    assert said == [(1,), (12,)]
    assert found.cases_scored == 60
    # the noise has an entropy of -0.88: it is held out, and not fitted
    assert found.tried[0].log_score < -0.9 < -0.3 < found.tried[1].log_score < 1.2
    again = choose_structure(*bump, "gaussian_noise", **wanted)
    assert [one.log_score for one in again.tried] == [one.log_score for one in found.tried]


def test_a_line_takes_the_fewest_units() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(120, 3)))
    y = X.to_numpy() @ [1.0, -0.5, 0.0] + 0.5 * rng.normal(size=120)
    assert choose_structure(X, y, "gaussian_noise", candidates=[(2,), (12,)], cores=1).hidden == (
        2,
    )


def test_held_out_cases_are_not_fitted_and_rare_classes_are() -> None:
    labels = np.array(["a"] * 60 + ["b"] * 30 + ["c"] * 3)
    training, validation = pilots._split(93, labels, 0)
    assert sorted([*training, *validation]) == list(range(93))
    assert {90, 91, 92} <= set(training)
    assert len(validation) == 22
    many, few = pilots._split(10_000, None, 0)
    assert len(many) + len(few) == pilots.MOST_ROWS
    assert not set(many) & set(few)
    X = pd.DataFrame({"x": np.random.default_rng(4).normal(size=93)})
    [pilot] = run_pilots(X, labels, "categorical", candidates=[(2,)], cores=1)
    assert pilot.log_score.shape == (22,)
    assert np.isfinite(pilot.log_score).all()


def test_few_cases_choose_nothing() -> None:
    X = pd.DataFrame({"x": np.arange(FEWEST_ROWS - 1.0)})
    found = choose_structure(X, X["x"], "gaussian_noise")
    assert (found.hidden, found.tried) == ((8,), ())
    assert "too few" in found.words()
    assert found.table.empty


def test_candidates_that_there_is_no_time_for_are_left_out_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pilots, "TUNE", 20)
    monkeypatch.setattr(pilots, "DRAWS", 10)
    prepared = studies.prepare(pd.concat([houses()] * 2), "price")
    settings, made = Settings(cores=1, minutes=1.0), []
    found = store.find_structure(
        tmp_path, [], prepared, settings, made.append, most_seconds=0.0
    )  # the first one is made all the same
    assert [pilot.hidden for pilot in made] == [(8,)]
    assert found.left_out == ((16,), (32,), (16, 16))
    assert found.words().endswith(" There was no time to try 16, 32, 16-16.")
    assert store.find_structure(tmp_path, [], prepared, settings, made.append) == found
    named = replace(settings, likelihood=prepared.likelihood)
    assert store.find_structure(tmp_path, [], prepared, named, made.append) == found
    monkeypatch.setattr(store, "choose_structure", lambda *a, **k: choose(made))
    anew = store.find_structure(tmp_path, [], prepared, Settings(cores=1), made.append)
    assert anew.left_out == ()  # as there is no limit now


@pytest.mark.usefixtures("without_plots")
def test_comparisons_choose_once_and_report_it(
    bump: tuple[pd.DataFrame, np.ndarray], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pilots, "TUNE", 20)
    monkeypatch.setattr(pilots, "DRAWS", 10)
    X, y = bump
    X.assign(y=100 * y).to_csv(tmp_path / "bump.csv", index=False)
    command = ["compare", tmp_path / "bump.csv", "--target", "y", "--variants", "gaussian"]
    tiny = TINY[: TINY.index("--hidden")]
    first = call(*command, *tiny, out=tmp_path / "report")
    assert first.code == 0, first.said
    record = json.loads((tmp_path / "report" / "fits" / store.NAME).read_text("utf-8"))
    tried = {named(one["hidden"]): one["log_score"] for one in record["tried"]}
    for hidden in map(named, pilots.CANDIDATES):
        said = first.said.partition(f"Pilot of hidden layers {hidden}: log score ")[2].split()[0]
        # in the unit of the table, as the score of held-out cases at the end
        shift = np.log(100 * np.std(y))
        assert float(said) == pytest.approx(tried[hidden] - shift, abs=0.15)
    chosen = named(record["hidden"])
    fit = studies.load_fit(tmp_path / "report" / "fits" / "gaussian.zarr")
    assert json.loads(fit.attrs["settings"])["hidden"] == record["hidden"]
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert f"Hidden layers: {chosen.replace(',', '-')}, " in page
    assert "--hidden auto" in page
    second = call(*command, *tiny, out=tmp_path / "report")
    assert "Pilot of" not in second.said
    assert "gaussian: kept from an earlier run" in second.said
    third = call(*command, *tiny, "--seed", "4", out=tmp_path / "report")
    assert third.code == 2
    assert "its cases or their split differ; seed: 0 there, 4 now" in third.said
    assert "Pilot of" not in third.said  # which would take the place of the first ones
    assert json.loads((tmp_path / "report" / "fits" / store.NAME).read_text("utf-8")) == record


def test_a_choice_for_other_cases_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []

    def pretend(X: pd.DataFrame, *arguments: object, **options: object) -> object:
        ran.append(len(X))
        return choose(made(-0.5))

    monkeypatch.setattr(store, "choose_structure", pretend)
    prepared = studies.prepare(houses(), "price")
    other = studies.prepare(houses(), "price", seed=1)
    for table, settings in (
        (prepared, Settings()),
        (prepared, Settings(draws=7, hidden=(3,))),  # not what pilots depend on
        (other, Settings()),
        (other, Settings(seed=5)),
        (other, Settings(seed=5, activation="relu")),
    ):
        found = store.find_structure(tmp_path, [], table, settings, lambda pilot: None)
        assert found == choose(made(-0.5))
    assert len(ran) == 4
    (tmp_path / store.NAME).write_text("{", "utf-8")
    store.find_structure(tmp_path, [], other, Settings(), lambda pilot: None)
    assert len(ran) == 5


def test_ctrl_c_between_pilots_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilers swallow it; here the building of a network does."""
    build = pilots.normal_inverse_gamma

    def swallow(*arguments: Any, **options: Any) -> Any:
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        return build(*arguments, **options)

    def sample(model: Any, *, callback: Any, **options: Any) -> None:
        callback(None, None)

    monkeypatch.setattr(pilots, "normal_inverse_gamma", swallow)
    monkeypatch.setattr(pilots, "sample", sample)
    X = pd.DataFrame({"x": np.linspace(-1, 1, 20)})
    with pytest.raises(KeyboardInterrupt):
        pilots.run_pilots(X, X["x"].to_numpy(), "gaussian_noise", candidates=[(2,)])


@pytest.mark.parametrize("rare", [4, 6])
def test_thinning_leaves_a_row_of_each_class_to_fit_to(rare: int) -> None:
    labels = np.zeros(20_000, int)
    labels[:rare] = 1
    training, validation = pilots._split(len(labels), labels, 0)
    assert set(labels[training]) == {0, 1}
    assert not set(training) & set(validation)
    assert len(training) + len(validation) in (pilots.MOST_ROWS, pilots.MOST_ROWS + 1)


@pytest.mark.parametrize("seed", range(5))
def test_no_class_is_scored_that_is_not_fitted_to(seed: int) -> None:
    shares = 1 / np.arange(1, 501) ** 1.3
    labels = np.random.default_rng(seed).choice(500, 20_000, p=shares / shares.sum())
    training, validation = pilots._split(len(labels), labels, seed)
    assert set(labels) == set(labels[training])
    assert not set(training) & set(validation)
    assert len(validation) > 300


def test_classes_of_few_rows_choose_nothing() -> None:
    X = pd.DataFrame({"x": np.arange(42.0)})
    found = choose_structure(X, np.repeat(np.arange(14), 3), "categorical", candidates=[(2,)])
    assert (found.hidden, found.tried) == ((2,), ())
    known = {"one": models.Categorical(), "other": models.Ordered()}
    labels = np.repeat(np.arange(14), 3)
    assert likelihoods.choose_likelihood(X, labels, known, (2,)).tried == ()


def test_pilots_take_what_models_take() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame({"x": rng.normal(size=48)}, index=range(100, 148))
    y = pd.Series(X["x"] > 0, name="y")
    known = models.Bernoulli()
    turned = xr.DataArray(y.to_numpy()[None], dims=("output", "obs"))
    for targets in (y, y.to_frame(), y.to_numpy()[:, None], y.to_numpy(), turned):
        for inputs in (X, X.to_numpy()):
            values, labels, codes = pilots.as_cases(inputs, targets, known)
            assert (values.shape, labels.shape, codes.shape) == ((48, 1), (48,), (48,))
    one = pd.Categorical(["b", "a"] * 24, ["b", "a"], ordered=True)
    frame = pd.DataFrame({"y": one}, index=X.index)
    _, labels, codes = pilots.as_cases(X, frame, models.Ordered())
    assert labels.categories.tolist() == ["b", "a"]
    assert codes.tolist() == [1, 0] * 24  # of labels, as a split for all likelihoods is by them


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (np.zeros((10, 1)), np.zeros(12), "12"),
        (pd.DataFrame({"x": np.zeros(10)}), pd.Series(np.zeros(10), range(9, -1, -1)), "order"),
        (pd.DataFrame({"x": ["a"] * 10}), np.zeros(10), "x"),
    ],
)
def test_few_cases_are_checked_too(X: Any, y: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        choose_structure(X, y, "gaussian_noise")


def test_pilots_run_on_arrays_and_refuse_rows_in_another_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pilots, "DRAWS", 10)
    monkeypatch.setattr(pilots, "TUNE", 10)
    X = np.random.default_rng(5).normal(size=(48, 1))
    y = X > 0
    found = choose_structure(X, y, "bernoulli", candidates=[()], cores=1)
    assert found.cases_scored == 12
    assert np.isfinite(found.tried[0].log_score)
    mixed = pd.Series(y[:, 0]).sample(frac=1, random_state=1)
    with pytest.raises(ValueError, match="the same index in another order"):
        choose_structure(pd.DataFrame(X), mixed, "bernoulli", candidates=[()], cores=1)
