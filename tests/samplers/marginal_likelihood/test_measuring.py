"""The evidence of models whose evidence is known."""

from functools import partial
from itertools import count
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.marginal_likelihood import annealing
from pymc_bnn.samplers.marginal_likelihood.evidence import estimate
from pymc_bnn.samplers.tempering.groups import EXCHANGE
from pymc_bnn.studies.choo2000.design.network import choo_network
from scipy import integrate, stats
from xarray import DataTree

QUIET: dict[str, Any] = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
WIDEST = 4.5  # standard errors of a jackknife over some twenty blocks
RNG = np.random.default_rng(3)


def test_regression_with_a_learnt_precision_has_the_closed_form(
    regression: tuple[pm.Model, float],
) -> None:
    model, exact = regression
    found = samplers.evidence(model, draws=1500, seed=5, cores=1, n_leapfrog=8, **QUIET)
    assert abs(found.log_evidence - exact) < WIDEST * found.standard_error, (found, exact)
    assert found.standard_error < 0.1
    assert found.cautions == ()


# larger ones diverge in some 2% of the iterations at the highest temperature
SMALL_STEPS: dict[str, Any] = {"n_leapfrog": 8, "target_accept": 0.9}


def test_annealing_in_both_directions_finds_it_too(regression: tuple[pm.Model, float]) -> None:
    model, exact = regression
    found = samplers.annealed_evidence(model, runs=150, tune=300, seed=4, **SMALL_STEPS)
    for one in (found.lower, found.upper, found.both):
        assert abs(one.log_evidence - exact) < WIDEST * one.standard_error, (found, exact)
    assert found.both.standard_error < min(found.lower.standard_error, found.upper.standard_error)
    assert found.both.standard_error < 0.3
    lag = found.integrated.lag  # one move at a temperature is too fast to integrate
    assert lag.log_evidence > WIDEST * lag.standard_error
    assert [caution.split(":")[0] for caution in found.cautions] == [
        "States lag behind the temperature"
    ]


SLOW: dict[str, Any] = {"runs": 40, "tune": 300, "moves": 8, "seed": 4}


def test_slow_runs_integrate_to_the_closed_form(regression: tuple[pm.Model, float]) -> None:
    model, exact = regression
    slow = samplers.annealed_evidence(model, **SMALL_STEPS, **SLOW)
    assert slow.cautions == ()
    found = slow.integrated
    for one in (found.cooling, found.heating, found.both):
        assert abs(one.log_evidence - exact) < WIDEST * one.standard_error, (found, exact)
    assert found.both.standard_error < 0.2
    assert abs(found.lag.log_evidence) < WIDEST * found.lag.standard_error


def test_choos_cases_have_the_evidence_of_other_estimators() -> None:
    """-12.9, by annealed importance sampling and by sequential prediction too."""
    model = choo_network(8)
    found = samplers.annealed_evidence(model, n_leapfrog=20, **SLOW)
    for one in (found.integrated.both, found.both):
        assert abs(one.log_evidence + 12.9) < WIDEST * one.standard_error < 1.2, found
    by_cases = samplers.sequential_evidence(model, 800, 200, 2, seed=3, n_leapfrog=20)
    assert by_cases.standard_error < 0.3
    for other in (found.integrated.both, found.both):
        error = np.hypot(by_cases.standard_error, other.standard_error)
        assert abs(by_cases.log_evidence - other.log_evidence) < 3.0 * error, (by_cases, other)


@pytest.fixture(scope="module")
def two_weights() -> tuple[pm.Model, float]:
    """A network of two weights, and its log evidence by quadrature."""
    x = np.linspace(-2, 2, 9)
    y = 1.5 * np.tanh(1.2 * x) + 0.4 * RNG.normal(size=9)
    with pm.Model() as model:
        v, w = pm.Normal("v", 0, 2), pm.Normal("w", 0, 2)
        pm.Normal("y", v * pt.tanh(w * x), 0.4, observed=y)

    def joint(v: float, w: float) -> float:
        fit = stats.norm.logpdf(y, v * np.tanh(w * x), 0.4).sum()
        return float(np.exp(fit + stats.norm.logpdf([v, w], 0, 2).sum()))

    both_modes, _ = integrate.dblquad(joint, -12, 12, 0, 6, epsabs=1e-14)
    return model, float(np.log(2 * both_modes))


def test_a_network_of_two_weights_has_the_evidence_of_quadrature(
    two_weights: tuple[pm.Model, float],
) -> None:
    """Both of its modes, by each estimator, from one run."""
    model, exact = two_weights
    ladder = [1.0, 2.0, 5.0, 15.0, 60.0, 500.0, np.inf]
    idata = samplers.sample(model, 1500, 500, temperature=ladder, seed=2, cores=1, **QUIET)
    for method in ("mbar", "stepping_stone"):
        found = samplers.evidence(idata, method)
        assert abs(found.log_evidence - exact) < WIDEST * found.standard_error, (found, exact)
        assert found.standard_error < 0.15
    values = idata[EXCHANGE]["log_likelihood"].values
    assert samplers.evidence(idata) == estimate(values, 1 / np.array(ladder))


def test_where_the_prior_has_points_without_likelihood_they_count() -> None:
    """A potential forbids a sixth of the prior; chains at infinity visit it all the same."""
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=0.5)
        pm.Potential("above", pt.switch(x > -1, 0.0, -np.inf))
    above = 1 - stats.norm(0.25, np.sqrt(0.5)).cdf(-1)
    exact = stats.norm(0, np.sqrt(2)).logpdf(0.5) + np.log(above)
    run = {"chains": 2, "cores": 1, "seed": 1, **QUIET}
    idata = samplers.sample(model, 2000, 500, temperature=[1.0, 3.0, np.inf], **run)
    impossible = idata["replica_exchange"]["log_likelihood"].sel(temperature=np.inf) == -np.inf
    share, error = float(impossible.mean()), float(az.mcse(impossible.astype(float), method="mean"))
    assert abs(share - stats.norm.cdf(-1)) < WIDEST * error
    found = samplers.evidence(idata)
    assert abs(found.log_evidence - exact) < WIDEST * found.standard_error, (found, exact)


def test_an_interrupted_run_says_so(two_weights: tuple[pm.Model, float]) -> None:
    model, _ = two_weights
    calls = count(1)

    def stop(trace: Any, draw: Any) -> None:
        if next(calls) == 250:
            raise KeyboardInterrupt

    run = {"draws": 100, "tune": 100, "chains": 2, "cores": 1, "seed": 1, **QUIET}
    found = samplers.evidence(model, temperatures=[1.0, 5.0, np.inf], callback=stop, **run)
    assert found.cautions[0].startswith("The run was interrupted: 1 chains of 100 draws")
    calls = count(1)
    with pytest.raises(KeyboardInterrupt):
        samplers.evidence(model, callback=stop, **run)


def test_bounds_that_are_apart_are_a_caution() -> None:
    powers = np.linspace(0, 1, 9)
    ahead = np.tile(-2.0 + 0.01 * np.arange(10)[:, None], (1, 9))
    few = annealing._estimates(ahead[:2] - 3, ahead[:2], powers, ())
    [caution] = few.cautions  # two runs do not tell their error
    assert caution.startswith("Runs in each direction are only 2: ")
    together = annealing._estimates(ahead, ahead, powers, ("diverged",))
    assert together.cautions == ("diverged",)
    apart = annealing._estimates(ahead - 3, ahead, powers, ())
    gap = apart.upper.log_evidence - apart.lower.log_evidence
    assert gap == pytest.approx(3, abs=0.01)
    assert apart.cautions[0].startswith("Runs from the prior and from the posterior are 3 ± ")
    assert "give more `runs`" in apart.cautions[0]


def test_what_the_prior_holds_beyond_the_support_is_no_disagreement() -> None:
    powers = np.linspace(0, 1, 9)
    ahead = np.tile(-2.0 + 0.01 * np.arange(40)[:, None], (1, 9))
    forward = ahead.copy()
    forward[::2, 0] = -np.inf
    found = annealing._estimates(forward, ahead, powers, ())
    assert found.upper.log_evidence - found.lower.log_evidence == pytest.approx(np.log(2), abs=0.02)
    assert found.cautions == ()


@pytest.mark.parametrize("whole", [1, 3])
def test_interrupted_annealing_keeps_whole_runs(
    whole: int, two_weights: tuple[pm.Model, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = two_weights
    along, calls = annealing._along, count(1)

    def stop(*given: Any) -> np.ndarray:
        if next(calls) > 2 * whole:
            raise KeyboardInterrupt
        return along(*given)

    monkeypatch.setattr(annealing, "_along", stop)
    run = {"runs": 10, "tune": 50, "seed": 1}
    if whole == 1:
        with pytest.raises(KeyboardInterrupt):
            samplers.annealed_evidence(model, **run)
        return
    found = samplers.annealed_evidence(model, **run)
    assert found.cautions[-1] == "The runs were interrupted: 3 of 10 in each direction were made."
    assert any("only 3: two standard errors" in caution for caution in found.cautions)
    assert np.isfinite(found.both.log_evidence)


def test_annealing_from_a_ladder_that_is_cut_is_cautioned() -> None:
    """Neither direction would tell of modes that the ladder did not bring to its cold end."""
    powers = np.array([1.0, 0.25, 0.0])
    spread = np.sin(np.arange(40.0))  # of log likelihoods
    near, far = (
        np.column_stack([spread, spread - step, spread - 2 * step]) for step in (0.5, 80.0)
    )
    assert list(annealing._split(near, powers)) == []
    [said] = annealing._split(far, powers)
    assert "between inverse temperatures 0.25 and 1 (probability" in said


def test_few_annealing_runs_are_cautioned(two_weights: tuple[pm.Model, float]) -> None:
    """Nine runs and not ten; what was assumed is said of both."""
    model, _ = two_weights
    for runs, told in ((9, True), (10, False)):
        found = samplers.annealed_evidence(model, runs=runs, tune=50, seed=1)
        assert any("give 10 `runs` or more" in caution for caution in found.cautions) == told
        assert any("all of its modes" in sentence for sentence in found.assumed)


def test_methods_with_functions_of_their_own_are_called(
    two_weights: tuple[pm.Model, float],
) -> None:
    """With the arguments of theirs, and no others."""
    model, _ = two_weights
    runs = {"runs": 10, "tune": 50, "seed": 1, "max_treedepth": 5}
    bridge = {"bridges": 4, "trajectories": 10, "chains": 2, "n_leapfrog": 10, "seed": 1}
    found = samplers.annealed_evidence(model, **runs)
    joined = samplers.evidence(model, "annealed", **runs)
    assert (joined.log_evidence, joined.standard_error) == found.both
    assert (joined.method, joined.cautions) == ("annealed", found.cautions)
    assert samplers.evidence(model, "bridge", **bridge) == samplers.bridge_evidence(model, **bridge)
    with pytest.raises(ValueError, match="sequential_evidence needs a network of pymc_bnn"):
        samplers.evidence(model, "sequential", n_leapfrog=5)
    for method, given in (
        ("annealed", {"draws": 50}),
        ("annealed", {"temperatures": [1, np.inf]}),
        ("bridge", {"cores": 1}),
        ("sequential", {"temperatures": [1, np.inf]}),
    ):
        [name] = given
        with pytest.raises(ValueError, match=rf'^{name}: not for method="{method}"'):
            samplers.evidence(model, method, **given)
    with pytest.raises(ValueError, match="give the model"):
        samplers.evidence(DataTree(), "bridge")


def test_what_is_refused(two_weights: tuple[pm.Model, float]) -> None:
    model, _ = two_weights
    with pytest.raises(ValueError, match="method"):
        samplers.evidence(model, "laplace")
    run = {"draws": 8, "tune": 8, "chains": 1, "cores": 1, **QUIET}
    with pytest.raises(ValueError, match="no ladder of temperatures"):
        samplers.evidence(samplers.sample(model, **run))
    with pytest.raises(ValueError, match="runs=1"):
        samplers.annealed_evidence(model, runs=1)
    with pytest.raises(ValueError, match="unknown option 'temperatures'"):
        samplers.annealed_evidence(model, temperatures=[1, np.inf])
    with pm.Model() as flat:
        pm.Normal("y", pm.Flat("x"), observed=1.0)
    for arguments, words in (
        ({"temperatures": [1, 2]}, "end with infinity"),
        ({"temperatures": np.inf}, "give rising numbers"),
        ({"temperature": [1, np.inf]}, "temperature: the ladder of evidence is"),
        ({"draws": 3}, "draws=3"),
        ({"seed": "a"}, "seed='a'"),
        ({"return_inferencedata": False}, "return_inferencedata=False"),
        ({"model": flat}, "The prior of x is flat"),
    ):
        with pytest.raises(ValueError, match=words):
            samplers.evidence(**{"model": model, **run, **arguments})
    with pm.Model() as observed:
        pm.Normal("y", 0.0, 1.0, observed=1.0)
    with pytest.raises(ValueError, match="evidence: the model has no free variables"):
        samplers.evidence(observed, **run)
    with pm.Model() as mixed:
        pm.Normal("y", pm.Bernoulli("side", 0.5) + pm.Normal("x"), observed=1.0)
    for tempered in (samplers.evidence, partial(samplers.sample, temperature=2)):
        with pytest.raises(ValueError, match="No step of pymc_bnn moves side, as discrete"):
            tempered(mixed, **run)
    ladder = samplers.sample(model, temperature=[1, np.inf], **run)
    with pytest.raises(ValueError, match="draws, seed: for new draws"):
        samplers.evidence(ladder, draws=10, seed=1)
    with pytest.raises(ValueError, match="temperatures: for new draws"):
        samplers.evidence(ladder, temperatures=[1, np.inf])
    with pytest.raises(ValueError, match="no dimension chain"):
        samplers.evidence(ladder.sel(chain=0))


def test_steps_without_an_accept_test_give_no_evidence() -> None:
    X = np.linspace(-1, 1, 6)[:, None]
    model = models.BNN(X, X[:, 0], (2,), prior=models.Scaled())
    stochastic = samplers.SGLD(1e-4, batch_size=3, model=model)
    steps = [samplers.GibbsPrecision(model=model), stochastic]
    whole = samplers.ReplicaExchange([1, np.inf], steps=steps, model=model)
    run = {"draws": 8, "tune": 2, "chains": 1, "cores": 1, "temperatures": [1, np.inf], **QUIET}
    for step in (stochastic, steps, whole):
        with pytest.raises(ValueError, match="SGLD gives no evidence"):
            samplers.evidence(model, step=step, **run)
    with pytest.raises(ValueError, match="SGLD gives no evidence"):
        samplers.annealed_evidence(model, steps=steps)
    del run["temperatures"]
    made = samplers.sample(model, temperature=[1, np.inf], step=steps, **run)
    with pytest.raises(ValueError, match="These draws give no evidence, as without an accept"):
        samplers.evidence(made)
