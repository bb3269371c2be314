"""The likelihood of a comparison is the one that a user named, or the one that pilots choose."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pymc_bnn import models, studies
from pymc_bnn.models import Poisson
from pymc_bnn.models.likelihoods import LIKELIHOODS
from pymc_bnn.samplers.potential.conditional import Conditional
from pymc_bnn.studies.comparison.piloting import Chosen, choose_by_pilots
from pymc_bnn.studies.comparison.request import AUTO, Request
from pymc_bnn.studies.errors import InputError
from pymc_bnn.studies.fits.fitting import build_models
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.fits.step_settings import step_settings
from pymc_bnn.studies.structure import choosing, likelihoods, pilots
from pymc_bnn.studies.structure.likelihoods import ChosenLikelihood
from pymc_bnn.studies.structure.noise import BY_ROW, SAME, choose_noise
from pymc_bnn.studies.structure.pilots import CANDIDATES, Pilot
from pymc_bnn.studies.tables.target_likelihood import (
    likelihood_for,
    likelihoods_for,
    names_for,
    task_for,
)
from rich.console import Console

from tests.models.likelihoods.logistic_noise import LogisticNoise

from ..conftest import call, houses

COUNTS = pd.DataFrame({"a": np.linspace(-1, 1, 60), "n": np.arange(60) % 7})


def pretend(monkeypatch: pytest.MonkeyPatch, scores: dict[str, float]) -> list[str]:
    """Let pilots have these mean log scores, with a standard error of 0.1 of every difference."""
    ran: list[str] = []

    def run(X: Any, y: Any, likelihood: Any, activation: str, **options: Any) -> list[Pilot]:
        name = next(n for n in scores if n.replace("_", "") == type(likelihood).__name__.lower())
        ran.append(name)
        apart = np.random.default_rng(len(ran)).normal(size=64)
        apart = 0.1 / np.sqrt(2) * 8 * (apart - apart.mean()) / apart.std(ddof=1)
        pilot = Pilot(options["candidates"][0], scores[name] + apart, 1.0)
        options["finished"](pilot)
        return [pilot]

    monkeypatch.setattr(likelihoods, "run_pilots", run)
    return ran


def test_a_likelihood_is_chosen_if_it_is_better_by_more_than_an_error_and_then_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    prepared, said = studies.prepare(houses(), "price"), []
    known = {"gaussian_noise": -1.0, "student_t_noise": -1.1, "heteroscedastic_noise": -0.5}
    pretend(monkeypatch, known)

    def find(settings: Settings) -> Any:
        finished = lambda name, pilot: said.append(name)  # noqa: E731
        found = likelihoods.find_likelihood_by_pilots
        return found(tmp_path, studies.prepare(houses(64), "price"), settings, finished)

    assert len(prepared.X) < likelihoods.FEWEST_ROWS  # too few to choose by
    few = likelihoods.choose_likelihood(prepared.X, prepared.y, likelihoods_for(prepared), (2,))
    assert (few.name, few.tried) == ("gaussian_noise", ())
    chosen = find(Settings())
    assert chosen.name == "heteroscedastic_noise"
    assert said == list(known)
    assert find(Settings()) == chosen
    assert len(said) == 3  # nothing ran again
    assert find(Settings(hidden=(3,))).name == chosen.name
    assert len(said) == 6
    pretend(monkeypatch, {**known, "heteroscedastic_noise": -0.99})
    assert find(Settings(seed=3)).name == "gaussian_noise"  # the simplest that is as good


@pytest.mark.parametrize(
    ("same", "chosen"), [(-1.3, BY_ROW), (-0.85, BY_ROW), (-0.75, SAME), (-0.1, SAME)]
)
def test_noise_by_row_stays_unless_the_same_is_better_by_two_errors(
    monkeypatch: pytest.MonkeyPatch, same: float, chosen: str
) -> None:
    ran = pretend(monkeypatch, {BY_ROW: -1.0, SAME: same})
    X = COUNTS[["a"]]
    found = choose_noise(X, X["a"], (2,), seed=1)
    assert (found.name, ran) == (chosen, [BY_ROW, SAME])
    assert ("at most 2 standard errors behind" in found.words()) == (same == -0.85)
    assert choose_noise(X[:39], X["a"][:39], (2,)).name == SAME  # untried
    assert len(ran) == 2


def test_a_known_pilot_is_that_which_would_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It ran among those of other layers, and its scores are the same bit for bit."""
    monkeypatch.setattr(pilots, "DRAWS", 10)
    monkeypatch.setattr(pilots, "TUNE", 10)
    X, y, made = COUNTS[["a"]], np.sin(4 * COUNTS["a"]), list[Pilot]()
    layers: dict[str, Any] = {"candidates": [(), (2,)], "finished": made.append}
    options: dict[str, Any] = {"seed": 3, "cores": 1}
    choosing.choose_structure(X, y, SAME, **layers, **options)
    anew, known = (
        choose_noise(X, y, (2,), **options, **more) for more in ({}, {"known": {SAME: made}})
    )
    assert known.tried[1].seconds == made[1].seconds != anew.tried[1].seconds
    one, other = (
        replace(found, tried=tuple(replace(tried, seconds=0.0) for tried in found.tried))
        for found in (anew, known)
    )
    assert one == other


def test_a_comparison_runs_the_pilot_of_the_usual_likelihood_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For layers and likelihood together, unless layers come from a file."""
    ran: list[tuple[str, tuple[int, ...]]] = []

    def run(
        X: Any, y: Any, given: Any, *more: Any, candidates: Sequence = CANDIDATES, **options: Any
    ) -> list[Pilot]:
        for hidden in candidates:
            ran.append((given.name, hidden))
            rng = np.random.default_rng([len(given.name), *hidden])
            made.append(Pilot(hidden, rng.normal(size=64), 1.0))
            options["finished"](made[-1])
        return made[-len(candidates) :]

    def choose() -> Chosen:
        request = Request(hidden=AUTO, likelihood=AUTO, out=tmp_path)
        table = studies.prepare(houses(64), "price")
        return choose_by_pilots(request, ["gaussian"], table, Settings(), None, Console(quiet=True))

    made: list[Pilot] = []
    (tmp_path / "fits").mkdir()
    for module in (choosing, likelihoods):
        monkeypatch.setattr(module, "run_pilots", run)
    chosen = choose()
    [usual, *others] = names_for("regression")
    hidden = chosen.settings.hidden
    assert ran == [(usual, one) for one in CANDIDATES] + [(name, hidden) for name in others]
    (tmp_path / "fits" / likelihoods.NAME).unlink()
    ran.clear()
    assert choose() == chosen
    assert ran == [(name, hidden) for name in (usual, *others)]


def test_known_pilots_leave_their_time_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ran = pretend(monkeypatch, {SAME: -1.0, "student_t_noise": -1.0, BY_ROW: -1.0})
    prepared = studies.prepare(houses(64), "price")
    every = likelihoods_for(prepared)
    made = [Pilot((2,), np.arange(64.0), 4.0)]

    def left_out(seconds: float) -> tuple[str, ...]:
        options: dict[str, Any] = {"known": {SAME: made}, "most_seconds": seconds}
        found = likelihoods.choose_likelihood(prepared.X, prepared.y, every, (2,), **options)
        return found.left_out

    assert left_out(3.9) == ("student_t_noise", BY_ROW)  # one may take as long as the known one
    assert (left_out(4.9), left_out(5.0)) == ((BY_ROW,), ())
    assert SAME not in ran


def test_counts_stay_as_they_are_and_have_their_mean() -> None:
    prepared = studies.prepare(COUNTS, "n", "counts")
    assert set(prepared.y) <= set(range(7))
    assert list(likelihoods_for(prepared)) == ["poisson", "negative_binomial"]
    assert likelihood_for(prepared) == Poisson(rate=float(prepared.y.mean()))
    with pytest.raises(InputError, match="--likelihood student_t_noise is for --task regression"):
        likelihood_for(prepared, "student_t_noise")
    with pytest.raises(InputError, match="holds what is no count"):
        studies.prepare(COUNTS.assign(n=COUNTS["n"] - 1), "n", "counts")
    assert task_for("poisson", None) == "counts"


def test_likelihoods_and_tasks_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    COUNTS.to_csv(tmp_path / "counts.csv", index=False)
    command = "compare", tmp_path / "counts.csv", "--target", "n", "--likelihood"
    run = call(*command, "poisson", "--task", "regression", out=tmp_path / "report")
    assert run.code == 2
    assert "--likelihood poisson is for --task counts, not for regression" in run.said
    run = call(*command, "poison", out=tmp_path / "report")
    assert "unknown likelihood 'poison'; did you mean 'poisson'?" in run.said


def test_a_likelihood_without_a_kernel_has_settings_that_its_steps_take() -> None:
    prepared = studies.prepare(COUNTS, "n", "counts")
    settings = Settings(hidden=(2,), likelihood="negative_binomial")
    [model] = build_models(prepared, ["gaussian"], settings).values()
    asked = step_settings(model).get("precision", "float64")
    assert not Conditional(model, model.groups, asked).fused  # or it says that there is no kernel


GRADES = ["poor", "fair", "good", "best"]  # of which the alphabet has another order


@pytest.mark.parametrize(
    ("classes", "tried"),
    [
        (pd.Categorical.from_codes(np.arange(60) % 4, GRADES, ordered=True), ["ordered"]),
        (pd.Categorical.from_codes(np.arange(60) % 3, GRADES, ordered=True), ["ordered"]),
        (pd.Categorical.from_codes(np.arange(60) % 2, GRADES, ordered=True), []),
        (pd.Categorical.from_codes(np.arange(60) % 4, GRADES), []),
        (np.array(GRADES)[np.arange(60) % 4], []),
        (np.arange(60) % 2, []),
        (np.arange(60) % 2 == 0, []),
        (np.arange(60) % 3, ["ordered"]),
        (np.arange(60) % 7 / 2, ["ordered"]),
        (np.arange(60) % 8, []),
    ],
)
def test_classes_that_may_have_an_order_are_tried_with_it(classes: Any, tried: list[str]) -> None:
    prepared = studies.prepare(COUNTS[["a"]].assign(grade=classes), "grade", "classification")
    assert list(likelihoods_for(prepared)) == [prepared.likelihood, *tried]
    assert prepared.likelihood == ("bernoulli" if len(set(classes)) == 2 else "categorical")


def test_pilots_of_classes_with_and_without_an_order_score_the_same_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A threshold model of four grades, for which three slopes are two too many."""
    monkeypatch.setattr(pilots, "DRAWS", 50)
    monkeypatch.setattr(pilots, "TUNE", 50)
    fitted, scored, sample, score = [], [], pilots._sample, models.BNN.log_likelihood

    def sampled(model: models.BNN, *run: Any) -> Any:
        fitted.append(np.array(model.classes)[model["y"].get_value()].tolist())
        return sample(model, *run)

    def kept(model: models.BNN, idata: Any, X: Any, y: Any) -> Any:
        scored.append((X["a"].tolist(), list(y)))
        return score(model, idata, X, y)

    monkeypatch.setattr(pilots, "_sample", sampled)
    monkeypatch.setattr(models.BNN, "log_likelihood", kept)
    rng = np.random.default_rng(7)
    a = rng.uniform(-2, 2, 100)
    codes = np.digitize(3 * a + rng.logistic(size=100), [-2, 0, 2])
    grade = pd.Categorical.from_codes(codes, GRADES, ordered=True)
    prepared = studies.prepare(pd.DataFrame({"a": a, "grade": grade}), "grade")
    found = likelihoods.choose_likelihood(
        prepared.X, prepared.y, likelihoods_for(prepared), (), seed=1, cores=1
    )
    assert [one.name for one in found.tried] == ["categorical", "ordered"]
    assert fitted[0] == fitted[1]
    assert scored[0] == scored[1]
    assert found.cases_scored == len(scored[0][1])
    ordered = found.tried[1].log_score
    assert -np.log(4) < ordered < 0  # better than by chance
    assert (found.name == "ordered") == (found.tried[0].behind > found.tried[0].behind_se)


def test_the_same_noise_is_taken_untried_where_pilots_cannot_tell() -> None:
    """One score of several outputs is mostly that of a constant one."""
    X = pd.DataFrame({"x": np.linspace(-1, 1, 60)})
    y = X["x"].to_numpy()
    for targets in (np.c_[y, np.zeros(60)], np.zeros(60), np.zeros((60, 1))):
        assert choose_noise(X, targets, (2,)) == ChosenLikelihood("gaussian_noise", (), 0)


def test_a_likelihood_that_is_registered_is_found_wherever_likelihoods_are_chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(LIKELIHOODS, LogisticNoise.name, LogisticNoise)
    prepared = studies.prepare(houses(64), "price")
    assert list(likelihoods_for(prepared)) == names_for("regression")
    assert likelihoods_for(prepared)["logistic_noise"] == LogisticNoise()
    model = models.gaussian(prepared.X, prepared.y, (2,), likelihood="logistic")
    assert model.likelihood == LogisticNoise()
    houses().to_csv(tmp_path / "houses.csv", index=False)
    command = "compare", tmp_path / "houses.csv", "--target", "price", "--likelihood"
    run = call(*command, "logistic", "--task", "counts", out=tmp_path / "report")
    assert "--likelihood logistic_noise is for --task regression, not for counts" in run.said
    with pytest.raises(ValueError, match=r"Valid: auto, .*, heteroscedastic, logistic"):
        studies.BNNRegressor(likelihood="logistical").fit(prepared.X, prepared.y)


def test_every_likelihood_is_public() -> None:
    assert all(getattr(models, kind.__name__) is kind for kind in LIKELIHOODS.values())
