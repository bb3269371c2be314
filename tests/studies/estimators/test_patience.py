"""Chains go on until their draws can be used, from where they were."""

from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.samplers.starts import chain_starts
from pymc_bnn.studies.estimators import patience as module
from pymc_bnn.studies.estimators.patience import Judgement, last_positions, sample_patiently
from pymc_bnn.studies.fits import time_limit
from pymc_bnn.studies.fits.time_limit import TimeLimit
from pytensor.compile.mode import Mode
from sklearn.exceptions import ConvergenceWarning

RNG = np.random.default_rng(11)
X = RNG.uniform(-2, 2, (60, 1))
Y = np.sin(3 * X[:, 0]) + 0.3 * RNG.normal(size=60)
SHORT: dict[str, Any] = {"draws": 50, "tune": 60, "chains": 4, "cores": 1, "random_state": 0}
QUIET: dict[str, Any] = {"cores": 1, "progressbar": False, "quiet": True}
IN_PYTHON = Mode(linker="py", optimizer="fast_compile")
NOT_YET = Judgement("not yet", ("Chains disagree.",), True)


def test_draws_that_cannot_be_used_can_be_later(monkeypatch: pytest.MonkeyPatch) -> None:
    few = studies.BNNRegressor((4,), likelihood="gaussian", **SHORT | {"draws": 20})
    said = r"the draws cannot be used yet: .*; patience=4 may help\.$"
    with pytest.warns(ConvergenceWarning, match=said):
        few.fit(X, Y)
    assert (few.grade_, few.times_) == ("not yet", 1)
    judge, judged = module.judge, list[Judgement]()

    def at_first_not_yet(*given: Any) -> Judgement:
        judged.append(judge(*given) if judged else NOT_YET)
        return judged[-1]

    monkeypatch.setattr(module, "judge", at_first_not_yet)
    longer: dict[str, Any] = SHORT | {"draws": 100, "tune": 100, "patience": 16}
    network = studies.BNNRegressor((4,), likelihood="gaussian", **longer).fit(X, Y)
    assert network.grade_ == judged[-1].grade != "not yet"
    assert network.times_ > 1
    sizes = network.idata_["posterior"].sizes
    assert (sizes["chain"], sizes["draw"]) == (4, 100)


class Limit(TimeLimit):
    """A limit with a clock of its own."""

    now = 0.0


def runs(
    monkeypatch: pytest.MonkeyPatch,
    patience: int,
    judgements: list[Judgement],
    model: Any = None,
    stop: Any = None,
    limit: Limit | None = None,
) -> tuple[list[dict[str, Any]], int]:
    """Options of the runs that are made where draws are judged so, and the length of the result.

    The second of them may be stopped, by an error or when there is a number of draws. By the clock
    of a limit the first takes 8 s, and another as many times as long as it makes sweeps.
    """
    made: list[dict[str, Any]] = []

    def sampled(model: models.BNN, **options: Any) -> xr.DataTree:
        made.append(options)
        draws, chains = options["draws"], options["chains"]
        if limit is not None:
            limit.now += 8 * options["thin"] / made[0]["thin"]
        if len(made) == 2 and stop is not None:
            if isinstance(stop, BaseException):
                raise stop
            draws, chains = stop
        size = chains, draws
        drawn = {"w0": np.full((*size, 1, 1), float(len(made))), "b0": np.zeros((*size, 1))}
        drawn["noise_precision"] = np.full(size, 4.0)
        posterior = {name: (("chain", "draw", *"ab"[: v.ndim - 2]), v) for name, v in drawn.items()}
        return xr.DataTree.from_dict({"posterior": xr.Dataset(posterior)})

    monkeypatch.setattr(module, "sample", sampled)
    monkeypatch.setattr(module, "judge", lambda model, idata: judgements[len(made) - 1])
    line = models.gaussian(X, Y, hidden=()) if model is None else model
    idata, judgement, times = sample_patiently(line, patience, 5, 30, 100, 2, limit, **QUIET)
    last = 1 if stop is not None else len(made)
    assert judgement is judgements[last - 1]
    assert idata["posterior"]["w0"].values.max() == last
    return made, times


@pytest.mark.parametrize(("patience", "number"), [(1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (8, 3)])
def test_all_runs_together_are_no_longer_than_patience(
    monkeypatch: pytest.MonkeyPatch, patience: int, number: int
) -> None:
    made, times = runs(monkeypatch, patience, [NOT_YET] * 9)
    assert len(made) == number
    assert times == 2 ** (number - 1)
    usual = made[0]["thin"]
    assert [run["thin"] for run in made] == [usual * 2**k for k in range(number)]
    assert sum(run["thin"] for run in made) <= patience * usual
    assert [run["draws"] for run in made] == [30] * number
    assert len({run["seed"] for run in made}) == number
    assert "initvals" not in made[0]
    for k, run in enumerate(made[1:], start=1):
        assert [float(start["w0"].item()) for start in run["initvals"]] == [k, k]
        assert run["tune"] < made[0]["tune"]


@pytest.mark.parametrize(("minutes", "number"), [(0.4, 1), (1.0, 2), (2.0, 3), (60.0, 6)])
def test_chains_go_on_while_twice_the_time_of_the_last_run_is_left(
    monkeypatch: pytest.MonkeyPatch, minutes: float, number: int
) -> None:
    limit = Limit(minutes, 0.0, 0.0)
    for one in (module, time_limit):
        monkeypatch.setattr(one, "monotonic", lambda: limit.now)
    # 0.15 of what is left is for what comes after: of 24 s there are 13.6 for chains after 8, of a
    # minute 30.6 after 24, and of two 54.4 after 56; patience has no more than six runs
    made, times = runs(monkeypatch, 99, [NOT_YET] * 9, limit=limit)
    assert (len(made), times) == (number, 2 ** (number - 1))


@pytest.mark.parametrize(
    "end",
    [Judgement("predictions stable", ("Chains disagree.",), True), NOT_YET._replace(longer=False)],
)
def test_chains_stop_where_draws_can_be_used_or_nothing_is_to_be_gained(
    monkeypatch: pytest.MonkeyPatch, end: Judgement
) -> None:
    made, times = runs(monkeypatch, 99, [NOT_YET, end, NOT_YET])
    assert (len(made), times) == (2, 2)


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), (7, 2), (30, 1)])
def test_what_is_stopped_leaves_the_last_run_that_is_whole(
    monkeypatch: pytest.MonkeyPatch, stop: Any
) -> None:
    made, times = runs(monkeypatch, 99, [NOT_YET] * 9, stop=stop)
    assert (len(made), times) == (2, 1)


def test_a_run_that_fails_leaves_the_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(UserWarning, match="chains did not go on .MemoryError: no room"):
        made, times = runs(monkeypatch, 99, [NOT_YET] * 9, stop=MemoryError("no room"))
    assert (len(made), times) == (2, 1)


def test_steps_become_smaller_where_transitions_diverge(monkeypatch: pytest.MonkeyPatch) -> None:
    divergent = NOT_YET._replace(divergent=True)
    made, _ = runs(monkeypatch, 15, [divergent, NOT_YET, divergent, NOT_YET])
    assert [run.get("target_accept") for run in made] == [None, 0.975, 0.975, 0.9875]


def test_draws_of_trees_get_more(monkeypatch: pytest.MonkeyPatch) -> None:
    model = models.horseshoe(X, Y, hidden=())
    monkeypatch.setattr(module, "last_positions", lambda model, idata: [{}])
    made, _ = runs(monkeypatch, 3, [NOT_YET, NOT_YET], model)
    assert [run["draws"] for run in made] == [30, 60]


def test_a_chain_goes_on_from_where_it_was() -> None:
    model = models.normal_inverse_gamma(X, Y, hidden=(2,))
    with model:
        drawn = pm.sample_prior_predictive(
            draws=3, random_seed=1, compile_kwargs={"mode": IN_PYTHON}
        )
    posterior = drawn["prior"].dataset
    ends = last_positions(model, xr.DataTree.from_dict({"posterior": posterior}))
    assert len(ends) == 1
    assert set(ends[0]) == {variable.name for variable in model.free_RVs}
    [start] = chain_starts(model, 1, np.random.default_rng(2), ends, "a chain")
    for name in ("w0", "w0_precision", "noise_precision"):
        value = start[model.rvs_to_values[model[name]].name]
        found = np.exp(value) if name.endswith("precision") else value
        np.testing.assert_allclose(found, posterior[name].values[0, -1], rtol=1e-12)
