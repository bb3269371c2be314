"""Rules of momenta: what they leave invariant, and how they carry momenta on."""

from collections.abc import Callable
from typing import Any

import arviz as az
import numpy as np
import pymc as pm
import pytest
from pymc_bnn import models, samplers
from pymc_bnn.samplers.compiled import engine
from pymc_bnn.samplers.dynamics import momentum as kinds
from pymc_bnn.samplers.dynamics.dummies import pay, probability_of_paying
from pymc_bnn.samplers.dynamics.momentum import MomentumRule, cool, plain_rule, refresh_in_part
from pymc_bnn.samplers.steps.bases import momentum_step
from scipy import stats
from scipy.integrate import quad

from ..geweke import WIDEST, tiny_network, z_scores

QUIET: Any = {"progressbar": False, "quiet": True, "compute_convergence_checks": False}
SIZE, DUMMIES = 3, 4


@pytest.mark.parametrize("persistence", [0.0, 0.9])
@pytest.mark.parametrize("temperature", [1.0, 7.0])
def test_cooling_leaves_momenta_of_its_temperature_invariant(
    persistence: float, temperature: float
) -> None:
    """All of them together, as from a normal distribution (Neal 1992, Eq. 24)."""
    run, rng = engine.specialize(cool), np.random.default_rng(1)
    count = 20_000
    after, reserves = np.empty((count, SIZE)), np.empty(count)
    for i in range(count):
        momentum = np.sqrt(temperature) * rng.standard_normal(SIZE)
        reserve = temperature * rng.standard_gamma(0.5 * DUMMIES, size=1)
        run(rng, momentum, MomentumRule(persistence, temperature, DUMMIES, reserve))
        after[i], reserves[i] = momentum, reserve[0]
    scaled = after.ravel() / np.sqrt(temperature)
    assert stats.kstest(scaled, "norm").pvalue > 1e-3
    assert stats.kstest(reserves / temperature, "gamma", (0.5 * DUMMIES,)).pvalue > 1e-3
    squares = (after**2).sum(1) / temperature
    assert abs(stats.pearsonr(squares, reserves).statistic) < 3.3 / np.sqrt(count)


def test_cooling_is_in_balance_with_its_temperature() -> None:
    """The energy of all has one law, by which it goes as often from one to another as back."""
    run, rng, temperature = engine.specialize(cool), np.random.default_rng(2), 3.0
    start, reserve, kept = np.array([30.0, 0.0, 0.0]), 200.0, 0.9
    momenta, reserves = np.empty((4000, SIZE)), np.empty(4000)
    for i in range(4000):
        momentum, left = start.copy(), np.array([reserve])
        run(rng, momentum, MomentumRule(kept, temperature, DUMMIES, left))
        momenta[i], reserves[i] = momentum, left[0]

    def law(before: Any) -> Any:
        added = temperature * (1 - kept**2)
        return stats.ncx2(SIZE + DUMMIES, kept**2 * before / added, scale=added)

    squares = (momenta**2).sum(axis=1)
    every, share = squares + 2 * reserves, stats.beta(SIZE / 2, DUMMIES / 2)
    assert stats.kstest(every, law(900 + 2 * reserve).cdf).pvalue > 1e-4
    assert stats.kstest(squares / every, share.cdf).pvalue > 1e-4
    assert abs(stats.pearsonr(every, squares / every).statistic) < 3.9 / np.sqrt(4000)
    along = momenta / np.sqrt(squares)[:, None]  # uniform on a sphere, and so is each coordinate
    assert all(stats.kstest(x, "uniform", (-1, 2)).pvalue > 1e-4 for x in along.T)
    one, other = np.array([5.0, 20.0, 40.0])[:, None], np.array([2.0, 30.0, 90.0])
    there, back = law(one).logpdf(other), law(other).logpdf(one)
    rest = stats.chi2(SIZE + DUMMIES, scale=temperature)
    np.testing.assert_allclose(rest.logpdf(one) + there, rest.logpdf(other) + back, rtol=1e-9)


def test_momenta_are_kept_in_part() -> None:
    run, rng = engine.specialize(refresh_in_part), np.random.default_rng(3)
    momenta = rng.standard_normal((20_000, SIZE))
    after = momenta.copy()
    for momentum in after:
        run(rng, momentum, plain_rule(0.6))
    assert stats.kstest(after.ravel(), "norm").pvalue > 1e-3
    slope = (after * momenta).sum() / (momenta**2).sum()
    assert abs(slope - 0.6) < 3.3 * 0.8 / np.sqrt(momenta.size)


@pytest.mark.parametrize("error", [-1.3, 0.2, 2.5])
@pytest.mark.parametrize("dummies", [2, 5, 40])
def test_fresh_dummies_pay_as_often_as_metropolis_accepts(error: float, dummies: int) -> None:
    """The claim below Eq. 26 of Neal (1992)."""
    density = stats.gamma(0.5 * dummies).pdf
    found, _ = quad(
        lambda kinetic: probability_of_paying(error, kinetic, dummies) * density(kinetic),
        max(error, 0.0),
        np.inf,
    )
    assert found == pytest.approx(np.exp(min(0.0, -error)), rel=1e-6)


def test_dummies_pay_what_they_have() -> None:
    rng, reserve = np.random.default_rng(1), np.array([2.0])
    rule = MomentumRule(0.0, 1.0, 2, reserve)  # with two of them volume does not depend on energy
    assert pay(rng, 1.5, rule) == (1.0, True)
    assert reserve[0] == 0.5
    for error in (0.5, 3.0, np.inf, np.nan, -np.inf):
        assert pay(rng, error, rule) == (0.0, False)
    assert pay(rng, -4.0, rule) == (1.0, True)
    assert reserve[0] == 4.5


def known() -> pm.Model:
    """Normal and logistic variables, of variances 1 and pi^2 / 3."""
    with pm.Model() as model:
        pm.Normal("x", shape=2)
        pm.Logistic("y", 0.0, 1.0, shape=2)
    return model


STEPS: dict[str, Callable[[pm.Model], Any]] = {
    "persistent": lambda model: samplers.StaticHMC(
        None, 3, 1.1, step_sizes="adapt", persistence=0.8, model=model
    ),
    "annealed": lambda model: samplers.AnnealedHMC(
        None, (), 4, 0.9, "uniform", thin=3, model=model
    ),
    "annealed, in warm-up": lambda model: samplers.AnnealedHMC(
        None, [(10**9, 0.9, 1.0)], 4, 0.9, "uniform", dummies=3, thin=3, model=model
    ),
    "Metropolis": lambda model: samplers.AnnealedMetropolis(
        None, (), 1.5, jitter=None, thin=30, model=model
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_known_posterior_is_sampled(name: str) -> None:
    step = STEPS[name](known())
    rng = np.random.default_rng(5)
    step.setup_chain(rng, 0, 0)
    if name.endswith("in warm-up"):
        step.iteration = 0
    point = {"x": rng.normal(size=2), "y": rng.logistic(size=2)}
    draws = []
    for _ in range(12_000):
        point, _ = step.step(point)
        draws.append(np.concatenate([point["x"], point["y"]]))
    found = np.array(draws)
    for values, expected in ((found, 0.0), (found**2, [1.0, 1.0, np.pi**2 / 3, np.pi**2 / 3])):
        errors = [az.mcse(column[None]).item() for column in values.T]
        assert np.abs((values.mean(0) - expected) / errors).max() < 4.0


def test_momenta_of_a_temperature_temper_the_density() -> None:
    """At 4 a standard normal variable has a variance of 4, however many dummies pay."""
    step = samplers.AnnealedHMC(
        None, [(10**9, 0.0, 4.0)], 4, 1.5, "uniform", dummies=3, thin=3, model=known()
    )
    rng = np.random.default_rng(6)
    step.setup_chain(rng, 0, 0)
    step.iteration = 0
    point = {"x": rng.normal(size=2), "y": rng.logistic(size=2)}
    draws = []
    for _ in range(6000):
        point, _ = step.step(point)
        draws.append(point["x"] ** 2)
    found = np.array(draws)
    errors = [az.mcse(column[None]).item() for column in found.T]
    assert np.abs((found.mean(axis=0) - 4.0) / errors).max() < 4.0


@pytest.mark.parametrize("name", ["GibbsHMC", "StaticHMC"])
def test_persistence_leaves_the_joint_distribution_invariant(name: str) -> None:
    """Also where Gibbs draws of precisions change the step sizes in between."""
    network = tiny_network()
    given: Any = {"n_leapfrog": 2, "step_scale": 1.0, "persistence": 0.7, "model": network}
    steps = {
        "GibbsHMC": lambda: [samplers.GibbsHMC(**given)],
        "StaticHMC": lambda: [
            samplers.GibbsPrecision(interweave=False, model=network),
            samplers.StaticHMC(**given),
        ],
    }[name]()
    scores = z_scores(network, steps, iterations=15_000, seed=3)
    assert max(map(abs, scores.values())) < WIDEST, scores


@pytest.mark.parametrize("turns", [True, False])
def test_rejected_momenta_are_negated(turns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one step a trajectory, and most of the momentum kept, it is seen if they are not."""
    if not turns:
        broken = kinds.PERSISTENT._replace(turn=kinds.FRESH.turn)
        monkeypatch.setattr(momentum_step, "PERSISTENT", broken)
    network = tiny_network()
    step = samplers.GibbsHMC(1, 1.1, 10, interweave=False, persistence=0.95, model=network)
    scores = z_scores(network, [step], iterations=15_000, seed=3)
    assert (max(map(abs, scores.values())) < WIDEST) == turns, scores


def test_short_trajectories_go_on_from_each_other() -> None:
    """Of a narrow and a wide variable the wide one is explored in fewer iterations."""
    with pm.Model() as model:
        pm.Normal("x", 0.0, [0.05, 1.0])
    lengths = {}
    for persistence in (0.0, 0.95):
        step = samplers.StaticHMC(
            None, 2, 0.06, step_sizes="adapt", metric="unit", persistence=persistence, model=model
        )
        with model:
            idata = pm.sample(
                4000, tune=0, chains=2, cores=1, step=step, random_seed=1, **QUIET
            )  # fmt: skip
        wide = idata["posterior"]["x"].values[..., 1]
        lengths[persistence] = float(az.ess(wide))
    assert lengths[0.95] > 2.5 * lengths[0.0]


def network() -> models.BNN:
    return models.BNN(np.eye(3), np.arange(3.0), hidden=(2,), prior=models.Box(factor=5))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: samplers.StaticHMC(persistence=1.0, model=known()), "persistence=1.0: give"),
        (lambda: samplers.GibbsHMC(persistence=-0.5, model=network()), "persistence=-0.5: give"),
        (
            lambda: samplers.StaticHMC(persistence=0.5, window=3, model=known()),
            "persistence=0.5 goes on from where a trajectory ends",
        ),
        (
            lambda: samplers.StaticHMC(persistence=0.5, step_sizes="adapt", model=network()),
            "persistence is not the same in all copies of w0",
        ),
        (
            lambda: samplers.StaticHMC(integrator="euler", model=known()),
            "unknown integrator 'euler'",
        ),
        (lambda: samplers.AnnealedHMC(phases=[(5, 1.0, 1.0)], model=known()), "phases: (5, 1.0,"),
        (lambda: samplers.AnnealedHMC(phases=[5], model=known()), "phases: 5 should be"),
        (lambda: samplers.AnnealedHMC(dummies=0, model=known()), "dummies=0: give"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(build: Callable, words: str) -> None:
    with pytest.raises(ValueError, match=r"\A[^\n]+\Z") as raised:
        build()
    assert str(raised.value).startswith(words)
