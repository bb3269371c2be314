"""The evidence by a bridge to a quadratic, of models whose evidence is known."""

from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import pytest
from pymc.distributions import transforms
from pymc_bnn import models, samplers
from pymc_bnn.samplers.marginal_likelihood.bridges import chain as bridge_chain
from pymc_bnn.samplers.marginal_likelihood.bridges.cautions import CHECKS, Crossed, restricted
from pymc_bnn.samplers.marginal_likelihood.bridges.chain import Crossing
from pymc_bnn.samplers.marginal_likelihood.bridges.dynamics import BridgeDynamics
from pymc_bnn.samplers.marginal_likelihood.bridges.quadratic import Quadratic, integral
from pymc_bnn.samplers.steps.bases.untempered import flat_names
from scipy import stats

SHORT: dict[str, Any] = {"bridges": 12, "trajectories": 25, "n_leapfrog": 6}
WIDEST = float(stats.t.ppf(0.9995, 3))  # standard errors of four chains
RNG = np.random.default_rng(5)
PLACES = np.linspace(0, 1, 5)


def agrees(found: samplers.Evidence, exact: float, most: float) -> None:
    assert abs(found.log_evidence - exact) < WIDEST * found.standard_error < most, (found, exact)


@pytest.mark.parametrize("centre", ["minimum", "mean"])
def test_regression_with_a_learnt_precision_has_the_closed_form(
    regression: tuple[pm.Model, float], centre: str
) -> None:
    model, exact = regression
    found = samplers.bridge_evidence(model, centre=centre, seed=2, **SHORT | {"trajectories": 75})
    agrees(found, exact, 0.6)
    assert found.cautions == ()
    assert found.method == "bridge"


def test_same_seed_same_evidence(regression: tuple[pm.Model, float]) -> None:
    model, _ = regression
    run = {**SHORT, "chains": 2, "bridges": 2, "seed": 3}
    assert samplers.bridge_evidence(model, **run) == samplers.bridge_evidence(model, **run)


def test_data_changed_in_place_are_looked_at() -> None:
    X = RNG.normal(size=(6, 1))
    model = models.gaussian(X, X[:, 0].copy(), hidden=(2,))
    density, point = model.compile_logp(mode="FAST_COMPILE"), model.initial_point()
    for name in ("y", "X"):
        model[name].get_value(borrow=True)[:] *= -2.0
        dynamics = BridgeDynamics(model, 2)
        q = np.linspace(0.1, 0.5, dynamics.layout.size)
        expected = -float(density(dynamics.layout.unravel(q, point)))
        assert dynamics.energy(q)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("walls", [False, True])
def test_a_uniform_prior_is_cut_where_its_box_ends(walls: bool) -> None:
    """In unconstrained coordinates, and with the box's own walls."""
    options = {"default_transform": None} if walls else {}
    with pm.Model() as model:
        x = pm.Uniform("x", 0, 1, shape=2, **options)
        pm.Normal("y", x, 0.5, observed=[1.2, 0.3])
    sides = stats.norm.cdf([1.2 / 0.5, 0.3 / 0.5]) - stats.norm.cdf([0.2 / 0.5, -0.7 / 0.5])
    found = samplers.bridge_evidence(model, seed=1, **SHORT)
    agrees(found, float(np.log(sides).sum()), 0.8)


@pytest.mark.parametrize("centre", ["start", "mean", "minimum"])
def test_chains_start_where_they_are_told(regression: tuple[pm.Model, float], centre: str) -> None:
    """Also at points of low energy that are no minima of it."""
    model, exact = regression
    starts = samplers.minimize(model, 30, chains=4, seed=2).points
    found = samplers.bridge_evidence(
        model, centre=centre, initvals=starts, seed=1, **SHORT | {"trajectories": 75}
    )
    agrees(found, exact, 1.5)


def test_each_chain_has_its_own_start(
    regression: tuple[pm.Model, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = regression
    cross, begun = bridge_chain.Chain.cross, []

    def note(chain: bridge_chain.Chain, places: np.ndarray, centre: np.ndarray) -> Crossing:
        begun.append((tuple(chain.q), tuple(centre)))
        return cross(chain, places, centre)

    starts = samplers.minimize(model, 30, chains=3, seed=2).points
    monkeypatch.setattr(bridge_chain.Chain, "cross", note)
    samplers.bridge_evidence(
        model, chains=3, centre="start", initvals=starts, seed=1, **SHORT | {"bridges": 2}
    )
    assert all(start == centre for start, centre in begun)
    assert len(set(begun)) == 3


def logistic_box(size: int) -> pm.Model:
    """A likelihood that grows up to the walls; its integral over the box is half of it, each."""
    with pm.Model() as model:
        x = pm.Uniform("x", -3.0, 3.0, shape=size, default_transform=None)
        pm.Bernoulli("y", logit_p=x, observed=np.ones(size))
    return model


def test_a_corner_that_hardly_any_trajectory_leaves_is_refused() -> None:
    with pytest.raises(ValueError, match='centre="start" and initvals'):
        samplers.bridge_evidence(logistic_box(40), seed=1, **SHORT)


def test_a_likelihood_that_grows_up_to_the_walls_from_within() -> None:
    size = 20
    starts = [{"x": np.full(size, 1.5)}] * 4
    longer = {"bridges": 12, "trajectories": 400, "n_leapfrog": 4}
    found = samplers.bridge_evidence(
        logistic_box(size), centre="start", initvals=starts, seed=1, **longer
    )
    agrees(found, size * np.log(0.5), 4.0)


def test_walls_that_nobody_declared_count_too() -> None:
    """A half-normal without transform: half of the quadratic lies where there is no density."""
    with pm.Model() as model:
        x = pm.HalfNormal("x", 1.0, default_transform=None)
        pm.Normal("y", x, observed=0.5)
    exact = stats.norm(0, np.sqrt(2)).logpdf(0.5) + np.log(2 * stats.norm.cdf(0.25 * np.sqrt(2)))
    found = samplers.bridge_evidence(model, seed=1, **SHORT | {"trajectories": 50})
    agrees(found, exact, 1.0)


def test_it_finds_one_of_two_modes_and_says_what_it_assumes() -> None:
    with pm.Model() as model:
        x = pm.Normal("x", 0.0, 3.0)
        pm.Normal("size", abs(x), 0.3, observed=3.0)
    one = stats.norm(0, np.sqrt(9.09)).logpdf(3.0)  # of a mode; what crosses 0 is below 1e-20
    found = samplers.bridge_evidence(model, seed=1, **SHORT)
    agrees(found, one, 0.1)
    assert abs(found.log_evidence - one - np.log(2)) > WIDEST * found.standard_error
    assert "one mode" in found.assumed[0]


def test_a_quadratic_has_its_integral_and_its_draws_stay_in_the_box() -> None:
    ends = np.array([-1.0, -np.inf]), np.array([0.5, 2.0])
    quadratic = Quadratic(np.array([0.2, 1.0]), np.array([4.0, 0.25]), *ends)
    normal = stats.norm(quadratic.centre, quadratic.precision**-0.5)
    mass = normal.cdf(ends[1]) - normal.cdf(ends[0])
    exact = np.sum(np.log(mass) - normal.logpdf(quadratic.centre))
    assert np.isclose(quadratic.log_integral(), exact, rtol=1e-12)
    draws = quadratic.draws(20_000, RNG)
    assert np.all((draws >= ends[0]) & (draws <= ends[1]))
    for i in range(2):
        share = (normal.cdf(draws)[:, i] - normal.cdf(ends[0])[i]) / mass[i]
        assert stats.kstest(share, "uniform").pvalue > 0.001


def test_the_error_of_an_integral_is_its_spread() -> None:
    """Independent draws at 12 places: Simpson's rule with an even number of them."""
    places = np.linspace(0, 1, 12)
    means = np.exp(places)[:, None]
    found = [integral(means + RNG.normal(size=(12, 200)), places) for _ in range(400)]
    values, errors = np.transpose(found)
    assert abs(values.mean() - np.expm1(1)) < 4 * values.std() / 20
    assert abs(errors.mean() / values.std() - 1) < 0.17


def seen(**changes: Any) -> Crossed:
    """Four runs that nothing speaks against, but for changes."""
    crossings = [
        Crossing(
            Quadratic(*[np.zeros(1)] * 4),
            RNG.normal(size=200) + changes.get("apart", 0.0) * i,
            RNG.normal(size=(5, 20)),
            np.full(4, changes.get("acceptance", 0.65)),
            changes.get("divergences", 0),
            0.0,
        )
        for i in range(4)
    ]
    estimates = np.array([-1.0, 0.0, 0.5, 1.0]) * changes.get("spread", 1.0)
    return Crossed(crossings, PLACES, estimates, np.ones(4), estimates + changes.get("bias", 0.0))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, None),
        ({"divergences": 1}, "4 trajectories diverged"),
        ({"acceptance": 0.01}, "accepted a share of 0.01"),
        ({"apart": 2.0}, "R-hat"),
        ({"spread": 10.0}, "Chains disagree on the log evidence"),
        ({"bias": 2.0}, "use more bridges"),
    ],
)
def test_cautions(changes: dict[str, float], words: str | None) -> None:
    given = seen(**changes)
    found = [sentence for check in CHECKS for sentence in check(given)]
    assert len(found) == (words is not None), found
    assert words is None or words in found[0]


@pytest.mark.parametrize("whole", [1, 2])
def test_an_interrupted_run_says_so(
    regression: tuple[pm.Model, float], whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    cross, made = bridge_chain.Chain.cross, []

    def stop(*arguments: Any) -> Crossing:
        if len(made) == whole:
            raise KeyboardInterrupt
        made.append(cross(*arguments))
        return made[-1]

    monkeypatch.setattr(bridge_chain.Chain, "cross", stop)
    run = {**SHORT, "bridges": 2, "seed": 1}
    if whole == 1:
        with pytest.raises(KeyboardInterrupt, match="1 whole chains of 4"):
            samplers.bridge_evidence(regression[0], **run)
        return
    found = samplers.bridge_evidence(regression[0], **run)
    assert found.cautions[0] == "The run was interrupted: 2 chains were made."


def test_densities_without_a_free_variable_count() -> None:
    with pm.Model() as model:
        x = pm.Normal("x")
        pm.Normal("y", x, observed=[0.3, -0.5])
        pm.Poisson("count", 2.0, observed=[1, 2])
        pm.Potential("constant", pt.constant(-3.0))
    exact = stats.multivariate_normal(cov=np.eye(2) + 1).logpdf([0.3, -0.5]) - 3
    exact += stats.poisson(2.0).logpmf([1, 2]).sum()
    agrees(samplers.bridge_evidence(model, seed=1, **SHORT), exact, 0.2)


def test_priors_that_a_transform_restricts_are_named() -> None:
    with pm.Model() as model:
        pm.Normal("low", shape=2, initval=[-1, 1], transform=transforms.ordered)
        pm.HalfNormal("scale", transform=transforms.log_exp_m1, default_transform=None)
        pm.Gamma("rate", 2, 1)
        pm.Normal("part", transform=transforms.Interval(-1, 2))
        pm.Uniform("box", default_transform=None)
        pm.Uniform("all", 0, 10)
        pm.Uniform("some", 0, 10, default_transform=transforms.Interval(4, 5), initval=4.5)
        pm.TruncatedNormal("cut", 0, 1, lower=0, upper=5)
        pm.Beta("share", 2, 1)
    said = [sentence.split(",")[0] for sentence in restricted(model)]
    assert said == [f"The transform of {name}" for name in ("low", "part", "some")]


def test_angles_have_no_integral_along_a_line() -> None:
    with pm.Model() as model:
        angle = pm.VonMises("angle", 0.0, 1.0)
        pm.Normal("y", pm.math.cos(angle), 0.7, observed=0.5)
    with pytest.raises(ValueError, match=r"angle: the density of an angle repeats.*use evidence"):
        samplers.bridge_evidence(model, seed=1, **SHORT)


def test_variables_that_have_no_dispersed_start_begin_where_pymc_does() -> None:
    """PyMC cannot turn any start of them back."""
    with pm.Model() as model:
        x = pm.ZeroSumNormal("x", shape=3)
        pm.Normal("y", x, 1, observed=[0.3, 0.2, -0.5])
    projection = np.eye(3) - 1 / 3
    exact = stats.multivariate_normal(cov=np.eye(3) + projection).logpdf([0.3, 0.2, -0.5])
    agrees(samplers.bridge_evidence(model, seed=1, **SHORT), exact, 0.2)
    run: dict[str, Any] = {"progressbar": False, "quiet": True, "chains": 2, "cores": 1}
    idata = samplers.sample(model, 200, 200, seed=1, **run)
    assert np.allclose(idata["posterior"]["x"].sum("x_dim_0"), 0)


def test_what_is_refused(regression: tuple[pm.Model, float]) -> None:
    for arguments, words in (
        ({"bridges": 0}, "bridges=0"),
        ({"chains": 1}, "chains=1"),
        ({"trajectories": 3}, "trajectories=3"),
        ({"n_leapfrog": 0}, "n_leapfrog=0"),
        ({"centre": "mode"}, "centre"),
        ({"centre": "start"}, "give initvals"),
        ({"initvals": {"nobody": 1.0}}, "nobody"),
        ({"seed": "a"}, "seed='a'"),
    ):
        with pytest.raises(ValueError, match=words):
            samplers.bridge_evidence(regression[0], **arguments)
    with pm.Model() as counts:
        pm.Poisson("count", 1.0)
    with pytest.raises(ValueError, match="discrete"):
        samplers.bridge_evidence(counts)
    with pm.Model() as flat:
        pm.Normal("y", pm.Flat("level"), observed=1.0)
    with pytest.raises(ValueError, match="level is flat"):
        samplers.bridge_evidence(flat)
    with pm.Model() as walk:
        level = pm.GaussianRandomWalk("walk", init_dist=pm.Flat.dist(), steps=2)
        pm.Normal("y", level, observed=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="walk is flat"):
        samplers.bridge_evidence(walk)
    with pm.Model() as within:
        pm.CustomDist("own", 1.0, dist=lambda scale, size: scale * pm.Flat.dist(size=size))
        pm.Normal("below", pm.Flat("known", observed=2.0))  # is no prior that begins flat
    assert flat_names(within) == ["own"]
    with pm.Model() as funnel:
        scale = pm.HalfCauchy("scale", 1.0)
        pm.Normal("x", 0.0, scale, shape=3)
    with pytest.raises(ValueError, match='centre="mean"'):
        samplers.bridge_evidence(funnel, **SHORT)


def test_walls_that_reflect_are_refused() -> None:
    """Behind them the posterior goes on in copies, which the integral would count."""
    X = np.linspace(-1, 1, 4)[:, None]
    model = models.BNN(X, X[:, 0], hidden=(), prior=models.Box(), likelihood="gaussian_noise")
    with pytest.raises(ValueError, match=r'w0 is reflected at walls.*walls="reject"'):
        samplers.bridge_evidence(model, **SHORT)
