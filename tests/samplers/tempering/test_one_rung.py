"""A ladder of one temperature gives the draws of plain sampling, where that takes a batch too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from pymc_bnn import models, samplers
from pymc_bnn.samplers.batch.chains import BatchOfChains
from pymc_bnn.samplers.batch.sampling import is_faster
from pymc_bnn.samplers.tempering.lanes.ladder import LadderInLanes
from scipy import stats

X = np.linspace(-1, 1, 8)[:, None]
RUN: dict[str, Any] = {
    "draws": 10,
    "tune": 10,
    "chains": 8,
    "seed": 1,
    "progressbar": False,
    "quiet": True,
    "compute_convergence_checks": False,
}
CLOCKS = ["perf_counter_diff", "perf_counter_start", "process_time_diff"]


def network() -> models.BNN:
    return models.normal_inverse_gamma(X, X[:, 0], hidden=(2,))


def same(one: xr.DataTree, other: xr.DataTree) -> None:
    """Draws and statistics are equal to the last bit."""
    for group in ("posterior", "sample_stats"):
        parts = [
            tree[group].to_dataset().drop_vars(CLOCKS, errors="ignore") for tree in (one, other)
        ]
        xr.testing.assert_equal(*parts)


@pytest.mark.parametrize("cores", [1, 2])
def test_eight_chains_are_those_of_a_batch(cores: int) -> None:
    model, options = network(), {"n_leapfrog": 3, "cores": cores}
    assert is_faster([samplers.GibbsHMC(model=model)], 8, cores)
    same(
        samplers.sample(model, temperature=[1.0], **RUN, **options),
        samplers.sample(model, **RUN, **options),
    )


def test_eight_chains_that_are_no_batch_are_the_same_too() -> None:
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=1.0)
    run = RUN | {"cores": 1, "method": "nuts"}
    same(samplers.sample(model, temperature=[1.0], **run), samplers.sample(model, **run))


def test_the_batch_has_the_group_of_a_ladder() -> None:
    """As one chain after another has it, with the log likelihood of each draw."""
    model, run = network(), RUN | {"cores": 1, "n_leapfrog": 3, "temperature": [1.0]}
    found, turn = samplers.sample(model, **run), samplers.sample(model, callback=_nothing, **run)
    ours, theirs = (tree["replica_exchange"].to_dataset() for tree in (found, turn))
    assert {n: (v.dims, v.dtype) for n, v in ours.items()} == {
        n: (v.dims, v.dtype) for n, v in theirs.items()
    }
    xr.testing.assert_equal(ours.coords.to_dataset(), theirs.coords.to_dataset())
    assert found.children.keys() == turn.children.keys()
    np.testing.assert_array_equal(
        ours["acceptance_rate"].squeeze("temperature"), found["sample_stats"]["acceptance_rate"]
    )
    draws = found["posterior"].to_dataset()
    units = np.tanh(X * draws["w0"].values[:, :, :1] + draws["b0"].values[:, :, None])
    mean = units @ draws["w1"].values + draws["b1"].values[:, :, None]
    sd = draws["noise_precision"].values[:, :, None] ** -0.5
    expected = stats.norm.logpdf(X[:, 0], mean[..., 0], sd).sum(axis=2)
    np.testing.assert_allclose(ours["log_likelihood"].isel(temperature=0), expected, rtol=1e-9)


def test_the_group_is_there_whatever_is_recorded() -> None:
    run = RUN | {"cores": 1, "n_leapfrog": 3, "temperature": [1.0]}
    found = samplers.sample(network(), var_names=["w0"], discard_tuned_samples=False, **run)
    assert list(found["posterior"].data_vars) == ["w0"]
    assert found["replica_exchange"].sizes["draw"] == RUN["draws"]


def test_another_temperature_alone_is_no_ladder() -> None:
    with pytest.raises(ValueError, match="the posterior's, among them"):
        samplers.sample(network(), temperature=[2.0], **RUN)


def _nothing(**_: Any) -> None:
    """A callback, with which no batch is taken."""


def interrupted(work: Callable, after: int) -> Callable:
    """The same, until it has been called so often."""
    calls = iter(range(after))

    def called(*arguments: Any, **named: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return work(*arguments, **named)

    return called


@pytest.mark.parametrize("way", ["one rung", "lanes", "in turn"])
def test_warm_up_that_is_kept_outlives_an_interruption(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RUN | {"cores": 1, "n_leapfrog": 3, "tune": 20_000, "discard_tuned_samples": False}
    if way == "one rung":
        run |= {"temperature": [1.0]}
        advance_packs = interrupted(BatchOfChains._advance, 1)
        monkeypatch.setattr(BatchOfChains, "_advance", lambda *given: advance_packs(*given))
    elif way == "lanes":
        run |= {"temperature": [1.0, 2.0, 3.0, 4.0], "chains": 1}
        advance = interrupted(LadderInLanes.advance, 1)
        monkeypatch.setattr(LadderInLanes, "advance", lambda ladder: advance(ladder))
    else:
        callback = interrupted(_nothing, 5)
        run |= {"temperature": [1.0, 2.0], "chains": 1, "callback": callback}
    idata = samplers.sample(network(), **run)
    assert 0 < idata["warmup_posterior"].sizes["draw"] < run["tune"]
