"""Fits that keep to a wall time, by fewer draws, pilots and runs."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.estimators import network_estimator, patience, time_budget
from pymc_bnn.studies.estimators.patience import Judgement
from pymc_bnn.studies.estimators.time_budget import limit_of, within
from pymc_bnn.studies.fits import time_limit
from pymc_bnn.studies.fits.estimating import Estimate, Timed
from pymc_bnn.studies.fits.settings import Settings
from pymc_bnn.studies.structure.choosing import Structure
from pymc_bnn.studies.structure.likelihoods import ChosenLikelihood
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

X = np.linspace(-1, 1, 60)[:, None]
Y = X[:, 0] + 0.2 * np.cos(99 * X[:, 0])
LINE: dict[str, Any] = {"hidden": (), "cores": 1, "random_state": 0, "likelihood": "gaussian"}
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.usefixtures("few_sweeps"),
]


class Clock:
    """A clock that moves when it is told to, and what is estimated by it."""

    def __init__(self) -> None:
        self.now, self.draw, self.timed = 1000.0, 1e-3, list[tuple[models.BNN, Settings]]()

    def __call__(self) -> float:
        return self.now

    def time_model(self, model: models.BNN, settings: Settings) -> Timed:
        """Say of any model that each of its draws takes as many seconds as were set."""
        self.timed.append((model, settings))
        return Timed([], Estimate(0.0, 0.0, self.draw, 0.0))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (time_limit, time_budget, patience):
        monkeypatch.setattr(module, "monotonic", clock)
    monkeypatch.setattr(time_budget, "time_model", clock.time_model)
    return clock


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Options of all runs of chains."""
    made: list[dict[str, Any]] = []
    sample = patience.sample

    def sampled(model: models.BNN, **options: Any) -> xr.DataTree:
        made.append(options)
        return sample(model, **options)

    monkeypatch.setattr(patience, "sample", sampled)
    return made


@pytest.mark.parametrize("prior", ["gaussian", models.Horseshoe()], ids=["gibbs_hmc", "nuts"])
def test_minutes_that_are_enough_change_no_draw(
    prior: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a true fit is timed, of steps for Gibbs, and of those for NUTS on raw weights."""
    tiny: dict[str, Any] = {**LINE, "draws": 20, "tune": 20, "chains": 2, "prior": prior}
    timed: list[str] = []
    time_model = time_budget.time_model

    def seen(model: models.BNN, settings: Settings) -> Timed:
        timed.append(model.parametrization)
        return time_model(model, settings)

    monkeypatch.setattr(time_budget, "time_model", seen)
    usual = studies.BNNRegressor(**tiny).fit(X, Y)
    assert timed == []
    found = studies.BNNRegressor(**tiny, minutes=600).fit(X, Y)
    assert timed == ["centered" if prior == "gaussian" else "noncentered"]
    for group in ("posterior", "sample_stats"):
        expected = usual.idata_[group].dataset
        times = {name for name in expected if "time" in name or "perf" in name}
        xr.testing.assert_equal(
            found.idata_[group].dataset.drop_vars(times), expected.drop_vars(times)
        )


def test_warm_up_and_draws_are_shorter_alike(clock: Clock, runs: list[dict[str, Any]]) -> None:
    clock.draw = 100 / 320  # which makes 100 s of two chains of 160 draws, one after the other
    network = studies.BNNRegressor(**LINE, draws=100, tune=60, chains=2, minutes=1).fit(X, Y)
    # 0.15 of the minute is for what comes after
    assert [(run["tune"], run["draws"]) for run in runs] == [(30, 51)]
    assert network.idata_["posterior"].sizes["draw"] == 51
    [(_, settings)] = clock.timed
    assert (settings.draws, settings.tune, settings.chains, settings.cores) == (100, 60, 2, 1)
    network.set_params(minutes=2).fit(X, Y)
    assert (runs[-1]["tune"], runs[-1]["draws"]) == (60, 100)
    classes = studies.BNNClassifier((), draws=100, tune=60, chains=2, cores=1, minutes=1.0)
    assert classes.fit(X, Y > 0).idata_["posterior"].sizes["draw"] == 51


@pytest.mark.parametrize("gone", [0.0, 60.0])
def test_a_tenth_is_drawn_and_said_where_there_is_no_time(
    gone: float, clock: Clock, runs: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = network_estimator.NetworkEstimator._build

    def late(*arguments: Any) -> models.BNN:
        clock.now += gone
        return build(*arguments)

    monkeypatch.setattr(network_estimator.NetworkEstimator, "_build", late)
    monkeypatch.setattr(studies.BNNRegressor, "_build", late)
    clock.draw = 1e3
    network = studies.BNNRegressor(**LINE, draws=400, tune=300, chains=1, patience=8, minutes=1)
    said = (
        r"^minutes=1: the time is not enough for a tenth of the draws; chains of 30 \+ 40 are "
        r"sampled all the same\. Give more minutes or fewer draws\.$"
    )
    with pytest.warns(UserWarning, match=said) as warned:
        network.fit(X, Y)
    assert [one.filename for one in warned if "minutes=1" in str(one.message)] == [__file__]
    assert [(run["tune"], run["draws"]) for run in runs][:1] == [(30, 40)]
    assert len(clock.timed) == (gone == 0)  # timing would only make it later


def test_pilots_have_a_part_of_the_time_that_is_left(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def structure(*arguments: Any, most_seconds: float, **options: Any) -> Structure:
        given.append(most_seconds)
        clock.now += 40
        return Structure((), (), 0)

    def noise(*arguments: Any, most_seconds: float, **options: Any) -> ChosenLikelihood:
        given.append(most_seconds)
        return ChosenLikelihood("gaussian_noise", (), 0)

    monkeypatch.setattr(network_estimator, "choose_structure", structure)
    monkeypatch.setattr(network_estimator, "choose_noise", noise)
    network = studies.BNNRegressor(draws=20, tune=20, chains=1, cores=1, minutes=4).fit(X, Y)
    # a quarter of what is left but for what comes after
    assert given == pytest.approx([0.25 * 0.85 * 240, 0.25 * 0.85 * 200])
    network.set_params(minutes=None).fit(X, Y)
    assert given[2:] == [math.inf, math.inf]


def test_weighing_chains_of_many_cases_has_its_time(clock: Clock) -> None:
    limits = [limit_of(1.0, cases, 4) for cases in (60, 500, 10**6)]
    left = [limit.for_one for limit in limits if limit is not None]
    assert left == pytest.approx([51.0, 49.0, 47.0])
    assert limit_of(None, 60, 4) is None


@pytest.mark.parametrize(("cores", "used"), [(None, 1), (3, 3)])
def test_as_many_processes_are_timed_as_chains_will_have(
    cores: int | None, used: int, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a worker that may start none, chains take turns."""
    monkeypatch.setattr(time_budget, "default_cores", lambda chains: 1)
    asked = Settings(draws=100, tune=60, chains=4, cores=cores)
    assert within(limit_of(1.0, 60, 4), models.gaussian(X, Y, hidden=()), asked) == asked
    assert [settings for _, settings in clock.timed] == [replace(asked, cores=used)]


@pytest.mark.parametrize("minutes", [0, -1.0, math.nan, math.inf, "3", True])
def test_minutes_that_are_none_are_refused(minutes: Any) -> None:
    for network in (studies.BNNRegressor(minutes=minutes), studies.BNNClassifier(minutes=minutes)):
        with pytest.raises(ValueError, match=r"^minutes=.*: give a number above 0, as in 5\.$"):
            network.fit(X, Y > 0)


def test_minutes_are_a_parameter_for_searches() -> None:
    shared = ("auto", "gaussian", "tanh", 50, 40, 2, 1, 0)
    network = studies.BNNRegressor(*shared, "gaussian", 2, minutes=np.int64(3))
    assert clone(network).get_params()["minutes"] == 3
    assert (network.likelihood, network.patience) == ("gaussian", 2)
    assert studies.BNNClassifier(*shared, 2).get_params()["minutes"] is None
    limit = limit_of(network.minutes, 60, 2)
    assert limit is not None
    assert 179 < limit.left <= 180


def test_more_patience_needs_more_minutes() -> None:
    judgement = Judgement("not yet", ("Chains disagree.",), True)
    with pytest.warns(ConvergenceWarning, match="disagree; patience=4 with more minutes may help"):
        studies.BNNRegressor(minutes=1)._warn(judgement)


def test_pickles_from_before_minutes_are_read() -> None:
    state = studies.BNNRegressor(**LINE).__getstate__()
    del state["minutes"]
    older = studies.BNNRegressor.__new__(studies.BNNRegressor)
    older.__setstate__(state)
    assert older.get_params()["minutes"] is None
