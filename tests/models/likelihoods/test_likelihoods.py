"""A likelihood's density is SciPy's, and its simulations have that density."""

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pymc as pm
import pytest
from pymc_bnn import models
from pymc_bnn.models.likelihoods import LIKELIHOODS, likelihood
from pymc_bnn.models.likelihoods.negative_binomial import log_gamma_ratio
from pytensor.compile.mode import Mode
from scipy import special, stats

from ..drawing import hand_made_draws

RNG = np.random.default_rng(11)
F = RNG.normal(size=(4, 6, 3))  # draws, cases, outputs
Y = RNG.normal(size=(6, 3))
CLASSES = np.arange(6) % 3
COUNTS = np.arange(18).reshape(6, 3) % 5
N = 200_000
Z = 4.0  # standard errors; a sound simulation exceeds them once in 15 000 seeds

LIKELIHOOD_VALUES = [
    models.GaussianNoise(sd=0.3, alpha=2.0),
    models.GaussianNoise(per_output=True),
    models.StudentTNoise(sd=0.3, degrees=3.0),
    models.HeteroscedasticNoise(sd=0.5),
    models.Poisson(rate=2.0),
    models.NegativeBinomial(mean=3.0),
    models.Bernoulli(),
    models.Categorical(),
    models.Ordered(alpha=2.0),
]


def test_gaussian_density_with_one_precision() -> None:
    precision = np.array([0.5, 1.0, 4.0, 100.0])
    density = models.GaussianNoise().log_density(F, Y, {"noise_precision": precision})
    expected = stats.norm.logpdf(Y, F, precision[:, None, None] ** -0.5).sum(axis=-1)
    np.testing.assert_allclose(density, expected, rtol=1e-13)


def test_gaussian_density_with_a_precision_per_output() -> None:
    precision = RNG.gamma(2.0, size=(4, 3))
    noise = models.GaussianNoise(per_output=True)
    density = noise.log_density(F, Y, {"noise_precision": precision})
    expected = stats.norm.logpdf(Y, F, precision[:, None, :] ** -0.5).sum(axis=-1)
    np.testing.assert_allclose(density, expected, rtol=1e-13)


def test_bernoulli_density() -> None:
    y = CLASSES % 2
    density = models.Bernoulli().log_density(F[..., :1], y, {})
    expected = stats.bernoulli.logpmf(y, special.expit(F[..., 0]))
    np.testing.assert_allclose(density, expected, rtol=1e-12)


def test_categorical_density() -> None:
    density = models.Categorical().log_density(F, CLASSES, {})
    one_hot = np.eye(3)[CLASSES]
    expected = stats.multinomial.logpmf(one_hot, 1, special.softmax(F, axis=-1))
    np.testing.assert_allclose(density, expected, rtol=1e-12)


SHARES = RNG.dirichlet(np.ones(4), size=3)


def test_ordered_density_and_probabilities_are_those_of_a_cut_logistic_variable() -> None:
    f, y = RNG.normal(size=(3, 5, 1)), np.array([0, 1, 2, 3, 3])
    ordered, draws = models.Ordered(), {"class_shares": SHARES}
    below = np.cumsum(SHARES, axis=1)[:, None, :-1]
    reached = stats.logistic.cdf(stats.logistic.ppf(below), loc=f)
    expected = np.diff(reached, axis=-1, prepend=0.0, append=1.0)
    np.testing.assert_allclose(ordered.probability(f, draws), expected, rtol=1e-10)
    density = ordered.log_density(f, y, draws)
    np.testing.assert_allclose(np.exp(density), expected[:, np.arange(5), y], rtol=1e-10)
    assert ordered.predicted(f, draws).keys() == {"probability"}


def test_simulated_ordered_classes_have_their_probabilities() -> None:
    f = np.broadcast_to([[0.7]], (3, N, 1))
    draws, ordered = {"class_shares": SHARES}, models.Ordered()
    found = ordered.simulate(f, draws, np.random.default_rng(3))
    expected = ordered.probability(f[:, :1], draws)[:, 0]
    shares = np.stack([(found == k).mean(axis=1) for k in range(4)], axis=1)
    z = (shares - expected) / np.sqrt(expected * (1 - expected) / N)
    assert (abs(z) < Z).all(), z


@pytest.mark.parametrize(
    ("y", "order"),
    [
        ([3, 1, 2, 1], (1, 2, 3)),
        (np.array([3, 1, 2, 1], dtype=object), (1, 2, 3)),
        (pd.Categorical.from_codes([0, 1, 1], pd.array([3, 1], "Int64"), ordered=True), (3, 1)),
        (pd.Categorical(["good", "bad", "fair"], ["bad", "fair", "good"], ordered=True), None),
        (pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["b", "c", "a"], ordered=True)), None),
    ],
    ids=["numbers", "objects", "nullable", "categorical", "series"],
)
def test_classes_keep_their_order(y: Any, order: tuple | None) -> None:
    targets = models.Ordered().encode(y)
    assert models.Ordered().encode(pd.DataFrame({"grade": y})).classes == targets.classes
    order = tuple(y.dtype.categories) if order is None else order
    assert targets.classes == targets.outputs == order
    assert [order[code] for code in targets.values] == list(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["good", "bad"], "y has classes without an order; give numbers, or pd.Categorical"),
        (pd.Categorical(["good", "bad"]), "y is a categorical without an order; say .cat.as_"),
        (pd.Categorical(["bad"] * 2, ["bad"], ordered=True), "y has one category only, 'bad'"),
        (pd.cut(np.arange(2.0), 2), "of type Interval; turn them into texts by .cat.rename_cat"),
    ],
)
def test_classes_without_an_order_are_refused(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        models.BNN(np.eye(2), y, likelihood="ordered")


@pytest.mark.parametrize("extreme", [800.0, 1e6, 1e300])
def test_certain_classes_have_finite_log_probabilities(extreme: float) -> None:
    f = np.array([[[extreme], [-extreme]]])
    density = models.Bernoulli().log_density(f, np.array([1, 1]), {})
    assert density.tolist() == [[0.0, -extreme]]
    few = {"class_shares": np.array([[0.5, 1e-30, 0.5], [0.5, 0.0, 0.5], [0.0, 0.0, 1.0]])}
    shares = models.Ordered().log_density(np.zeros((3, 1, 1)), np.array([1]), few)
    np.testing.assert_allclose(shares[:, 0], [np.log(1e-30), -np.inf, -np.inf])
    halves = {"class_shares": np.full((1, 2), 0.5)}
    density = models.Ordered().log_density(f, np.array([1, 1]), halves)
    assert density.tolist() == [[0.0, -extreme]]
    logits = np.array([[[extreme, 0.0], [extreme, 0.0]]])
    density = models.Categorical().log_density(logits, np.array([0, 1]), {})
    assert density.tolist() == [[0.0, -extreme]]


def unconstrained(name: str, value: np.ndarray) -> np.ndarray:
    if name.endswith("_simplex__"):
        return np.log(value[:-1]) - np.log(value).mean()
    return np.log(value) if name.endswith("_log__") else value


@pytest.mark.parametrize(
    ("given", "y"),
    [
        (models.GaussianNoise(), Y),
        (models.GaussianNoise(per_output=True), Y),
        (models.StudentTNoise(degrees=3.0), Y),
        (models.StudentTNoise(per_output=True), Y),
        (models.HeteroscedasticNoise(sd=0.4, spread=0.7), Y),
        (models.Poisson(rate=1.5), COUNTS),
        (models.NegativeBinomial(rate=1.5), COUNTS),
        (models.Bernoulli(), CLASSES == 1),
        (models.Categorical(), CLASSES),
        (models.Ordered(), CLASSES),
    ],
    ids=[
        *("gaussian", "per output", "t", "t per output", "heteroscedastic"),
        *("poisson", "negative binomial", "bernoulli", "categorical", "ordered"),
    ],
)
def test_density_of_the_model_is_the_density_on_draws(
    given: models.Likelihood, y: np.ndarray, python_mode: Mode
) -> None:
    X = RNG.normal(size=(6, 2))
    model = models.BNN(X, y, hidden=(3,), likelihood=given)
    idata = hand_made_draws(model, chains=1, draws=3)
    ours = model.log_likelihood(idata, X, y).values[0]
    inputs = model.free_RVs
    logp = model.replace_rvs_by_values(model.logp(model["y_obs"], sum=False, jacobian=False))
    values = [model.rvs_to_values[v] for v in inputs]
    function = pm.pytensorf.compile(values, logp, mode=python_mode)
    for i in range(3):
        point = [idata["posterior"][v.name].values[0, i] for v in inputs]
        point = [unconstrained(v.name, p) for v, p in zip(values, point, strict=True)]
        theirs = np.asarray(function(*point)[0]).reshape(6, -1).sum(axis=1)
        np.testing.assert_allclose(ours[i], theirs, rtol=1e-10)


def test_simulated_targets_scatter_with_the_noise() -> None:
    precision = np.array([[4.0, 100.0]])
    f = np.broadcast_to([3.0, -1.0], (1, N, 2))
    noise = models.GaussianNoise(per_output=True)
    y = noise.simulate(f, {"noise_precision": precision}, np.random.default_rng(1))
    z = (y - f) * np.sqrt(precision)
    assert (abs(z.mean(axis=1)) * np.sqrt(N) < Z).all()
    assert (abs((z**2).mean(axis=1) - 1) / np.sqrt(2 / N) < Z).all()


def test_each_draw_has_its_own_noise() -> None:
    f = np.zeros((3, N // 10, 2))
    precision = np.array([1.0, 100.0, 1e4])
    y = models.GaussianNoise().simulate(f, {"noise_precision": precision}, np.random.default_rng(2))
    expected = precision**-0.5
    error = expected / np.sqrt(2 * y[0].size)
    assert (abs(y.std(axis=(1, 2)) - expected) / error < Z).all()


def test_simulated_t_noise_has_the_density_it_is_scored_by() -> None:
    draws, given = {"noise_precision": np.array([4.0])}, models.StudentTNoise(degrees=3.0)
    y = given.simulate(np.full((1, N // 10, 1), 2.0), draws, np.random.default_rng(5))[0, :, 0]
    assert stats.kstest(y, stats.t(3.0, 2.0, 0.5).cdf).pvalue > 1e-4
    density = given.log_density(np.full((1, 5, 1), 2.0), y[:5, None], draws)
    np.testing.assert_allclose(density[0], stats.t(3.0, 2.0, 0.5).logpdf(y[:5]), rtol=1e-12)


def test_simulated_heteroscedastic_noise_has_the_density_it_is_scored_by() -> None:
    given = models.HeteroscedasticNoise(sd=0.5, spread=2.0)
    f = np.broadcast_to([1.0, -3.0, 0.3, -0.2], (1, N // 10, 4))  # means, then log deviations
    y = given.simulate(f, {}, np.random.default_rng(6))[0]
    known = [stats.norm(1.0, 0.5 * np.exp(0.6)), stats.norm(-3.0, 0.5 * np.exp(-0.4))]
    for k, one in enumerate(known):
        assert stats.kstest(y[:, k], one.cdf).pvalue > 1e-4
    density = given.log_density(f[:, :5], y[:5], {})
    expected = sum(one.logpdf(y[:5, k]) for k, one in enumerate(known))
    np.testing.assert_allclose(density[0], expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (models.Poisson(rate=2.0), stats.poisson(2.0 * np.exp(0.3))),
        (models.NegativeBinomial(rate=2.0), stats.nbinom(3.0, 3.0 / (3.0 + 2.0 * np.exp(0.3)))),
    ],
    ids=["poisson", "negative binomial"],
)
def test_simulated_counts_have_the_density_they_are_scored_by(
    given: models.Likelihood, expected: Any
) -> None:
    draws = {"dispersion": np.array([3.0])}
    y = given.simulate(np.full((1, N, 1), 0.3), draws, np.random.default_rng(7))[0, :, 0]
    frequencies = np.bincount(y.astype(int), minlength=9)[:9]
    p = expected.pmf(np.arange(9))
    rest = np.array([N - frequencies.sum(), N * (1 - p.sum())])
    observed, wanted = np.append(frequencies, rest[0]), np.append(N * p, rest[1])
    assert stats.chisquare(observed, wanted).pvalue > 1e-4
    density = given.log_density(np.full((1, 5, 1), 0.3), np.arange(5.0)[:, None], draws)
    np.testing.assert_allclose(density[0], expected.logpmf(np.arange(5)), rtol=1e-12)


@pytest.mark.parametrize("start", 10.0 ** np.arange(-3, 17))
@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_ratios_of_gamma_functions_keep_their_digits(start: float, count: int) -> None:
    logs = [(Decimal(start) + i).ln() for i in range(count)]
    found = log_gamma_ratio(np.array(start), np.array(float(count)))
    size = float(sum(map(abs, logs)))
    np.testing.assert_allclose(found, float(sum(logs)), rtol=0, atol=1e-12 * size + 1e-13)


@pytest.mark.parametrize("dispersion", [1e12, 1e14, 1e16])
def test_counts_of_large_dispersion_have_poisson_density(dispersion: float) -> None:
    f, y = np.linspace(-3, 8, 12)[:, None], np.round(3 * np.exp(np.linspace(-3, 8, 12)))[:, None]
    draws = {"dispersion": np.array([dispersion])}
    found = models.NegativeBinomial(rate=3.0).log_density(f[None], y, draws)
    expected = stats.poisson.logpmf(y, 3 * np.exp(f))[:, 0]
    np.testing.assert_allclose(found[0], expected, rtol=1e-10, atol=1e8 / dispersion)


@pytest.mark.parametrize(
    ("given", "arguments", "message"),
    [
        (models.NegativeBinomial, {"mean": 1e12, "rate": 3.0}, "counts are Poisson then"),
        (models.StudentTNoise, {"degrees": 1e12}, "the noise is normal then, use GaussianNoise"),
        (models.GaussianNoise, {"alpha": 1e14, "integrate": True}, "alpha=1e+08 fixes the noise"),
    ],
)
def test_settings_that_leave_densities_no_digits_are_refused(
    given: Any, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"above 1e\\+0[68] .*; {re.escape(message)}"):
        given(**arguments)


def test_the_largest_settings_have_the_density_of_normal_noise() -> None:
    f, y = np.zeros((1, 9, 1)), np.linspace(-2, 2, 9)[:, None]
    squares, expected = np.array([(y**2).sum()]), stats.norm.logpdf(y[:, 0])
    joint = {"squared_error": squares, "noise_scale": np.sqrt((1e8 + squares) / (1e8 + 9))}
    noise = models.GaussianNoise(sd=1.0, alpha=1e8, integrate=True)
    np.testing.assert_allclose(noise.log_density(f, y, joint)[0], expected, atol=3e-7)
    tails, draws = models.StudentTNoise(degrees=1e8), {"noise_precision": np.ones(1)}
    np.testing.assert_allclose(tails.log_density(f, y, draws)[0], expected, atol=3e-7)


def test_counts_around_large_means_are_normal() -> None:
    f = np.full((N, 1, 1), np.log(1e18))
    y = models.Poisson().simulate(f, {}, np.random.default_rng(8)).ravel()
    mean = float(np.exp(f[0, 0, 0]))
    assert stats.kstest((y - mean) / 1e9, "norm").pvalue > 1e-4
    assert (y == np.rint(y)).all()
    assert np.isposinf(models.Poisson().simulate(f + 800, {}, np.random.default_rng(8))).all()


def test_large_means_of_others_leave_usual_counts_as_they_are() -> None:
    f = np.array([0.3, 2.0, 800.0]).reshape(1, 3, 1)
    y = models.Poisson().simulate(f, {}, np.random.default_rng(8)).ravel()
    expected = np.random.default_rng(8).poisson(np.exp([0.3, 2.0]))
    np.testing.assert_array_equal(y, [*expected, np.inf])


@pytest.mark.parametrize("dispersion", [1e-5, 2.0])
def test_large_counts_scatter_with_their_dispersion(dispersion: float) -> None:
    draws, f = {"dispersion": np.full(N // 10, dispersion)}, np.full((N // 10, 1, 1), np.log(1e18))
    given = models.NegativeBinomial()
    y = given.simulate(f, draws, np.random.default_rng(9)).ravel()
    law = stats.gamma(dispersion, scale=1e18 / dispersion)
    below = [(y <= level).mean() for level in (0.0, 1e17, 1e18, 1e20)]
    expected = law.cdf([0.5, 1e17, 1e18, 1e20])
    np.testing.assert_allclose(below, expected, atol=Z * np.sqrt(0.25 / y.size))
    endless = given.simulate(f + 800, draws, np.random.default_rng(9)).ravel()
    assert set(endless[endless > 0]) == {np.inf}


def test_targets_that_are_no_counts_are_refused() -> None:
    with pytest.raises(ValueError, match=r"y holds -1, which is no count; give whole numbers"):
        models.gaussian(np.eye(3), [0, -1, 2], likelihood="poisson")
    model = models.gaussian(np.eye(3), [0, 1, 2], likelihood="negative_binomial")
    with pytest.raises(ValueError, match=r"y holds 0\.5, which is no count"), model:
        pm.set_data({"y": [[0.5], [1.0], [2.0]]})


@pytest.mark.parametrize("log_odds", [-3.0, 0.0, 1.0])
def test_simulated_classes_of_two_have_the_right_frequency(log_odds: float) -> None:
    y = models.Bernoulli().simulate(np.full((1, N, 1), log_odds), {}, np.random.default_rng(3))
    p = special.expit(log_odds)
    assert y.shape == (1, N)
    assert set(np.unique(y)) == {0, 1}
    assert abs(y.mean() - p) / np.sqrt(p * (1 - p) / N) < Z


def test_simulated_classes_of_several_have_the_right_frequencies() -> None:
    f = np.array([0.0, 1.0, -2.0])
    y = models.Categorical().simulate(np.broadcast_to(f, (1, N, 3)), {}, np.random.default_rng(4))
    p = special.softmax(f)
    assert y.shape == (1, N)
    assert stats.chisquare(np.bincount(y[0], minlength=3), N * p).pvalue > 1e-4


def test_probabilities_of_classes() -> None:
    np.testing.assert_allclose(models.Categorical().probability(F, {}).sum(axis=-1), 1, rtol=1e-14)
    np.testing.assert_allclose(models.Categorical().probability(F, {}), special.softmax(F, axis=-1))
    np.testing.assert_allclose(models.Bernoulli().probability(F, {}), 1 / (1 + np.exp(-F)))


def test_numbers_have_no_class_probabilities() -> None:
    with pytest.raises(TypeError, match="GaussianNoise has no class probabilities"):
        models.GaussianNoise().probability(F, {})


def test_noise_precision_is_declared_per_output_on_request() -> None:
    X = np.eye(6)
    one = models.gaussian(X, Y, likelihood=models.GaussianNoise())
    each = models.gaussian(X, Y, likelihood=models.GaussianNoise(per_output=True))
    assert one["noise_precision"].ndim == 0
    assert each.named_vars_to_dims["noise_precision"] == ("output",)


def test_classes_have_no_hyperparameters() -> None:
    model = models.gaussian(np.eye(6), CLASSES, likelihood="categorical")
    assert "noise_precision" not in model.named_vars
    assert model.named_vars_to_dims["y_obs"] == ("obs",)


@pytest.mark.parametrize("given", LIKELIHOOD_VALUES, ids=repr)
def test_description_rebuilds_the_likelihood(given: models.Likelihood) -> None:
    assert likelihood(given.to_dict()) == given
    assert likelihood(given) is given


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_name_stands_for_the_default_settings(name: str) -> None:
    assert likelihood(name) == LIKELIHOODS[name]()
    assert likelihood(name.upper()) == LIKELIHOODS[name]()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (models.GaussianNoise(sd=0.5), "normal noise, precision ~ gamma of mean 4, shape 0.25"),
        (
            models.GaussianNoise(sd=1.0, alpha=3.0, per_output=True),
            "normal noise, one precision per output ~ gamma of mean 1, shape 1.5",
        ),
        (
            models.GaussianNoise(sd=np.int64(2)),
            "normal noise, precision ~ gamma of mean 0.25, shape 0.25",
        ),
        (
            models.StudentTNoise(sd=0.5, degrees=3.0),
            "t noise of 3 degrees of freedom, precision ~ gamma of mean 4, shape 0.25",
        ),
        (
            models.HeteroscedasticNoise(),
            "normal noise, logarithmic standard deviation by the network: 0.3 times exp(0.5 g)",
        ),
        (models.Bernoulli(), "two classes, logistic"),
        (models.Categorical(), "several classes, softmax"),
    ],
)
def test_likelihoods_say_themselves_in_words(given: models.Likelihood, words: str) -> None:
    assert given.words() == words


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("categoric", "unknown likelihood 'categoric'; did you mean 'categorical'?"),
        ("student", "unknown likelihood 'student'"),
        (3, "unknown likelihood '3'. Valid: gaussian_noise, student_t_noise,"),
    ],
)
def test_unknown_likelihood_says_the_valid_ones(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        likelihood(given)
