"""Networks behave as scikit-learn estimators, in any unit, and predict what their draws say."""

import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.studies.chains.chain_stacking import ChainWeights, predicting_draws
from pymc_bnn.studies.estimators import network_estimator, patience
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.inspection import partial_dependence
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

TINY: dict[str, Any] = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "random_state": 0}
LINE: dict[str, Any] = {"hidden": (), "draws": 200, "tune": 100, "cores": 1, "random_state": 1}
SAME: dict[str, Any] = {**LINE, "likelihood": "gaussian"}
NOISE = 0.5


def line(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A line in two inputs of odd units."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, 2))
    X = pd.DataFrame({"pounds": 3000 + 800 * z[:, 0], "share": 0.01 * z[:, 1]})
    return X, z @ [1.0, -0.5] + NOISE * rng.normal(size=rows)


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("mistake", ["prior", "interrupt"])
def test_a_fit_that_fails_leaves_the_one_before_it_whole(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = line(40, 3)
    model = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y)
    predicted = model.predict(X)
    error: type[BaseException] = ValueError
    if mistake == "prior":
        model.set_params(prior="nope")
    else:
        error = KeyboardInterrupt
        monkeypatch.setattr(patience, "sample", interrupted)
    with pytest.raises(error):
        model.fit(X, 1000 * y + 5e5)
    np.testing.assert_array_equal(model.predict(X), predicted)  # and in its unit
    assert model.log_density(X, y).mean() > -5


def interrupted(*arguments: object, **options: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("constant", [0.1, 1 / 3, 0.5, 7.7, 1e6 + 0.1])
def test_constant_columns_are_only_centred(constant: float) -> None:
    X, y = np.linspace(-1, 1, 60)[:, None], np.full(60, constant)
    X = np.hstack([X, np.full((60, 1), constant)])
    model = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y)
    assert (model._encoding.columns[1].mean, model._encoding.columns[1].sd) == (constant, 1.0)
    assert (model._mean, model._sd) == (constant, 1.0)


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_number_of_hidden_units_will_do() -> None:
    X, y = line(41, 3)
    model = studies.BNNRegressor(hidden=2, likelihood="gaussian", **TINY).fit(X, y)
    assert model.hidden_ == (2,)
    with pytest.raises(ValueError, match="hidden=0: give the units of each hidden layer"):
        studies.BNNRegressor(hidden=0, **TINY).fit(X, y)


def test_an_interval_has_a_probability(fitted: studies.BNNRegressor) -> None:
    for probability in ("0.9", [0.5, 0.9], 1.5):
        with pytest.raises(ValueError, match=r"probability=.*: give a number between 0 and 1"):
            fitted.predict_interval(line(3, 1)[0], probability)


@pytest.fixture(scope="module")
def fitted() -> studies.BNNRegressor:
    return studies.BNNRegressor(**SAME).fit(*line(200, 1))


def test_predictions_are_those_of_the_true_line(fitted: studies.BNNRegressor) -> None:
    X, y = line(4000, 2)
    mean, std = fitted.predict(X, return_std=True)
    # three parameters known to 0.5 / sqrt(200) each
    assert np.sqrt(np.mean((mean - y) ** 2)) < NOISE * 1.03
    np.testing.assert_allclose(std, NOISE, rtol=0.15)
    assert fitted.grade_ in ("converged", "nearly")
    for probability in (0.5, 0.9):
        low, high = fitted.predict_interval(X, probability).T
        assert abs(np.mean((low < y) & (y < high)) - probability) < 0.04
        width = 2 * norm.isf((1 - probability) / 2) * NOISE
        # wider at the edge of the inputs, where the line is less certain
        assert np.quantile(np.abs((high - low) / width - 1), 0.99) < 0.2
    drawn = fitted.sample_predictions(X.iloc[:50])
    assert drawn.dims == ("chain", "draw", "obs", "output")
    np.testing.assert_allclose(drawn.mean(("chain", "draw"))[:, 0], mean[:50], atol=0.09)
    np.testing.assert_allclose(drawn.std(("chain", "draw"))[:, 0], std[:50], rtol=0.15)
    other = fitted.sample_predictions(X.iloc[:50], random_state=7)
    assert float(abs(other - drawn).max()) > 0.1


def test_log_densities_are_those_of_the_true_line(fitted: studies.BNNRegressor) -> None:
    X, y = line(4000, 2)
    true = norm.logpdf(line(4000, 2)[1] - _noiseless(X), scale=NOISE)
    found = fitted.log_density(X, y)
    assert found.shape == (4000,)
    assert np.mean(found) == pytest.approx(np.mean(true), abs=0.03)
    with pytest.raises(ValueError, match=r"y has shape \(4000, 2\): give 1 target\(s\)"):
        fitted.log_density(X, np.c_[y, y])
    for texts in (["low"] * len(X), pd.Series(["1.5"] * len(X)), np.full(len(X), "low")):
        with pytest.raises(
            ValueError, match=r"^y is not numeric, it has texts or categories; give num"
        ):
            fitted.log_density(X, texts)
    scaled = studies.BNNRegressor(**SAME).fit(line(200, 1)[0], 1024 * line(200, 1)[1])
    np.testing.assert_allclose(scaled.log_density(X, 1024 * y), found - np.log(1024), atol=1e-6)


def _noiseless(X: pd.DataFrame) -> np.ndarray:
    return ((X["pounds"] - 3000) / 800 - 0.5 * X["share"] / 0.01).to_numpy()


def test_units_change_nothing_but_units(fitted: studies.BNNRegressor) -> None:
    """Powers of two leave every bit of the standardised numbers, and so the draws."""
    X, y = line(200, 1)
    moved = pd.DataFrame({"pounds": X["pounds"] / 2048, "share": 1024 * X["share"]})
    other = studies.BNNRegressor(**SAME).fit(moved, 4096 * y)
    ours, theirs = fitted.predict(X, return_std=True), other.predict(moved, return_std=True)
    np.testing.assert_allclose(theirs, 4096 * np.array(ours), rtol=1e-9)
    ends = 4096 * fitted.predict_interval(X)
    np.testing.assert_allclose(other.predict_interval(moved), ends, rtol=1e-9)
    # another origin rounds otherwise: the same posterior by other draws
    elsewhere = studies.BNNRegressor(**SAME).fit(X + 100, y + 100)
    np.testing.assert_allclose(elsewhere.predict(X + 100) - 100, ours[0], atol=0.03)


def test_names_and_draws_are_there_for_arviz(fitted: studies.BNNRegressor) -> None:
    assert isinstance(fitted.idata_, xr.DataTree)
    assert fitted.idata_["posterior"].sizes["chain"] == 4
    model = models.load(fitted.idata_)
    assert model.inputs == ("pounds", "share")
    assert list(fitted.feature_names_in_) == ["pounds", "share"]
    # what the command line needs for new rows
    new = line(3, 5)[0]
    predicted = studies.predict_table(fitted.idata_, new)
    np.testing.assert_allclose(predicted["mean"], fitted.predict(new), atol=0.09)


def test_outputs_have_units_of_their_own() -> None:
    X, y = line(100, 3)
    both = np.column_stack([y, 100 - 30 * y])
    found = studies.BNNRegressor(**SAME).fit(X, both)
    mean, std = found.predict(X, return_std=True)
    assert mean.shape == std.shape == (100, 2)
    np.testing.assert_allclose(mean[:, 1], 100 - 30 * mean[:, 0], atol=3)
    np.testing.assert_allclose(std[:, 1], 30 * std[:, 0], rtol=0.2)
    ends = found.predict_interval(X)
    assert ends.shape == (100, 2, 2)
    assert (ends[..., 0] < mean).all()
    assert (mean < ends[..., 1]).all()


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_those_of_the_true_classes(classes: int) -> None:
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"x": 50 + 10 * rng.normal(size=800)})
    logits = (X[["x"]].to_numpy() - 50) / 10 * np.linspace(-1.5, 1.5, classes)
    names = np.array(["low", "middle", "top"])[:classes]
    y = names[np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)]
    found = studies.BNNClassifier(**LINE).fit(X[:350], y[:350])
    assert found.classes_.tolist() == names.tolist()
    true = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    got = found.predict_proba(X)
    np.testing.assert_allclose(got.sum(axis=1), 1)
    # the slope is known to a seventh, and its prior has a scale of its own
    assert np.abs(got - true).mean() < 0.05
    assert (found.predict(X[:9]) == names[got[:9].argmax(axis=1)]).all()
    drawn = found.sample_predictions(X[:20])
    assert drawn.dims == ("chain", "draw", "obs")
    share = (drawn == names[0]).mean(("chain", "draw"))
    np.testing.assert_allclose(share, got[:20, 0], atol=0.06)


@pytest.mark.usefixtures("few_sweeps")
def test_they_work_in_pipelines_and_searches() -> None:
    X, y = line(90, 6)
    curved = y + (X["pounds"].to_numpy() / 800 - 3.75) ** 2
    settings: dict[str, Any] = {**TINY, "draws": 50, "tune": 50, "likelihood": "gaussian"}
    model = studies.BNNRegressor(hidden=(), **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        pipeline = make_pipeline(PolynomialFeatures(2, include_bias=False), model)
        plain = cross_val_score(model, X, curved, cv=3)
        assert cross_val_score(pipeline, X, curved, cv=3).mean() > plain.mean() + 0.2
        search = GridSearchCV(model, {"prior": ["gaussian", models.ARD()]}, cv=2).fit(X, curved)
        assert search.best_params_["prior"] in ("gaussian", models.ARD())
        fit = pipeline.fit(X, y)
    slope = partial_dependence(fit, X, ["share"], kind="average")["average"][0]
    assert slope[0] > slope[-1] + 0.5


def test_a_pickle_is_a_fit_that_another_process_reads(
    fitted: studies.BNNRegressor, tmp_path: Path
) -> None:
    X = line(7, 8)[0]
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps(fitted))
    X.to_csv(tmp_path / "X.csv", index=False)
    script = (
        "import pickle, sys, pandas as pd\n"
        "model = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(*model.predict(pd.read_csv(sys.argv[2])))\n"
    )
    command = [sys.executable, "-c", script, str(path), str(tmp_path / "X.csv")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    np.testing.assert_allclose([float(w) for w in said.split()], fitted.predict(X), rtol=1e-10)
    again = pickle.loads(path.read_bytes())
    xr.testing.assert_identical(
        again.idata_["posterior"].dataset, fitted.idata_["posterior"].dataset
    )
    assert again.get_params() == fitted.get_params()
    blank = pickle.loads(pickle.dumps(studies.BNNRegressor(prior=models.ARD())))
    assert blank.prior == models.ARD()


@pytest.mark.usefixtures("without_plots")
def test_reports_are_in_the_unit_of_the_targets(
    fitted: studies.BNNRegressor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = line(60, 9)
    page = fitted.report_(tmp_path / "report.html", X, y).read_text("utf-8")
    assert "normal_inverse_gamma" in page
    assert "Is a network worth it?" in page
    monkeypatch.chdir(tmp_path)
    assert fitted.report_() == Path("report.html")
    short = Path("report.html").read_text("utf-8")
    assert "not asked, as no cases were held out: give some" in short


@pytest.mark.usefixtures("without_plots", "few_sweeps")
def test_columns_of_targets_are_reported_in_their_unit_or_said_to_be_standardised(
    tmp_path: Path,
) -> None:
    X, y = line(60, 9)
    scores, shown = [], []
    for targets in (y, y[:, None], np.column_stack([y, 50 * y])):
        fitted = studies.BNNRegressor(hidden=(), likelihood="gaussian", **{**TINY, "draws": 60})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # draws are few
            fitted.fit(X, targets)
            page = fitted.report_(tmp_path / "report.html", X, targets).read_text("utf-8")
            scores.append(float(fitted.log_density(X, targets).mean()))
        assert ("y, standardised" in page) == (targets.ndim == 2 and targets.shape[1] == 2)
        shown.append(f"{scores[-1]:.3f}" in page)  # two outputs have no unit in common
    with pytest.raises(studies.InputError, match="the fit has 2 outputs"):
        studies.predict_table(fitted.idata_, pd.DataFrame(X, columns=["x0", "x1"]))
    assert scores[0] == pytest.approx(scores[1])
    assert shown == [True, True, False]


@pytest.mark.usefixtures("few_sweeps")
def test_chains_that_disagree_are_warned_of() -> None:
    rng = np.random.default_rng(11)
    X = rng.uniform(-2, 2, (60, 1))
    y = np.sin(5 * X[:, 0]) + 0.05 * rng.normal(size=60)
    short = {**TINY, "draws": 10, "tune": 0, "chains": 4}
    model = studies.BNNRegressor(hidden=(6,), likelihood="gaussian", **short)
    with pytest.warns(ConvergenceWarning, match="the draws cannot be used yet: "):
        model.fit(X, y)
    assert model.grade_ == "not yet"
    assert model.problems_


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"hidden": "wide"}, "unknown hidden 'wide'"),
        ({"hidden": (0,)}, "positive integers"),
        ({"prior": "laplace"}, "unknown prior 'laplace'"),
        ({"activation": "sine"}, "activation"),
        ({"draws": 3}, "draws=3: give a whole number of at least 10."),
        ({"chains": 0}, "chains=0: give a whole number"),
        ({"patience": 0}, "patience=0: give a whole number of at least 1."),
        ({"minutes": 0}, "minutes=0: give a number above 0, as in 5."),
        ({"likelihood": "poisson"}, "unknown likelihood 'poisson'"),
    ],
)
def test_settings_are_checked_before_sampling(settings: dict[str, Any], said: str) -> None:
    X, y = line(60, 12)
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        studies.BNNRegressor(**settings).fit(X, y)
    with pytest.raises(ValueError, match="give a number between 0 and 1"):
        studies.BNNRegressor().predict_interval(X, 1.5)
    with pytest.raises(ValueError, match="one class only, 'a'"):
        studies.BNNClassifier().fit(X, ["a"] * 60)
    with pytest.raises(ValueError, match="20 missing value"):
        studies.BNNClassifier().fit(X, ["a", "b", np.nan] * 20)
    with pytest.raises(ValueError, match="text and other labels"):
        studies.BNNClassifier().fit(X, [1, "1", 2] * 20)
    with pytest.raises(ValueError, match="True or False and other labels"):
        studies.BNNClassifier().fit(X, [True, 1, 2] * 20)


def parted(by: dict[int, float]) -> Any:
    """Chains of which some have slopes of another mode."""

    def sample(*arguments: Any, **options: Any) -> xr.DataTree:
        idata = patience_sample(*arguments, **options)
        for chain, shift in by.items():
            idata["posterior"]["w0"].values[chain] -= shift
        return idata

    patience_sample = patience.sample
    return sample


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_chains_that_stay_apart_are_weighed_as_in_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "sample", parted({1: 0.45, 3: 0.55}))
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.linspace(-1, 1, 300)})
    y = X["x"].to_numpy() + 0.3 * rng.normal(size=300)
    model = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    assert model.chain_weights_ is not None
    assert model.chain_weights_.better
    new = X[::60]
    expected = studies.predict_table(model.idata_, new, seed=model._seed)
    assert "weigh them by stacking" in expected.attrs["chains"]
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        mean, sd = one.predict(new, return_std=True)
        np.testing.assert_allclose(mean, expected["mean"])
        np.testing.assert_allclose(sd, expected["sd"])
        np.testing.assert_allclose(one.predict_interval(new), expected[["q5", "q95"]])
    drawn = model.sample_predictions(new)
    assert drawn.sizes["chain"] == 1
    means = drawn.mean(("chain", "draw")).values[:, 0]
    np.testing.assert_allclose(means, expected["mean"], atol=0.06)
    # noise of 0.3 has an entropy of 0.21, and slopes of another mode fit worse by far
    assert model.log_density(X, y).mean() == pytest.approx(-norm(0, 0.3).entropy(), abs=0.05)


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_classes_of_chains_that_stay_apart_are_weighed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "sample", parted({1: 3.0, 3: 5.0}))
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": np.linspace(-2, 2, 300)})
    y = np.where(X["x"].to_numpy() + 0.3 * rng.logistic(size=300) > 0, "up", "down")
    model = studies.BNNClassifier(prior="gaussian", **LINE).fit(X, y)
    assert model.chain_weights_ is not None
    assert model.chain_weights_.better
    expected = studies.predict_table(model.idata_, X)[["probability_down", "probability_up"]]
    np.testing.assert_allclose(model.predict_proba(X), expected)


@pytest.mark.usefixtures("few_sweeps")
def test_a_fit_that_is_stopped_while_chains_are_weighed_keeps_its_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*arguments: Any) -> None:
        raise KeyboardInterrupt

    X, y = line(120, 3)
    model = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    model.chain_weights_ = ChainWeights((1.0, 0.0, 0.0, 0.0), 50.0, 1.0, 120)
    monkeypatch.setattr(network_estimator, "weights_where_apart", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(chains=2).fit(X, -y)
    assert model.idata_["posterior"].sizes["chain"] == 2
    assert model.chain_weights_ is None
    assert model.score(X, -y) > 0.5
    scored = studies.predict_table(model.idata_, X)
    np.testing.assert_allclose(scored["mean"], model.predict(X))


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError("none left")])
def test_draws_are_kept_where_it_is_not_found_out_what_they_are_good_for(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*arguments: Any) -> None:
        raise error

    monkeypatch.setattr(patience, "judge", failing)
    X, y = line(120, 3)
    with pytest.warns(ConvergenceWarning, match=f"not found out .{type(error).__name__}"):
        model = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, y)
    assert (model.grade_, model.chain_weights_) == ("not yet", None)
    assert model.score(X, y) > 0.5


@pytest.mark.usefixtures("few_sweeps")
def test_a_refit_that_is_refused_leaves_the_fit_before_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    X, y = line(60, 3)
    model = studies.BNNRegressor(prior="gaussian", **SAME)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.full(60, np.nan))
    with pytest.raises(NotFittedError):
        model.predict(X)
    model.fit(X, y).place_ = "a subclass's own"
    before, predicted = dict(vars(model)), model.predict(X)
    others = X[X.columns[::-1]]
    with pytest.raises(ValueError, match="NaN"):
        model.fit(others, np.full(60, np.nan))
    with pytest.raises(ValueError, match="draws=5: give a whole number"):
        model.set_params(draws=5).fit(others, 1e3 * y)
    monkeypatch.setattr(network_estimator, "sample_patiently", stopped)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(draws=before["draws"]).fit(others, 1e3 * y)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(model.predict(X), predicted)


@pytest.mark.usefixtures("few_sweeps")
def test_a_fit_forgets_all_that_the_one_before_left() -> None:
    X, y = line(60, 3)
    model = studies.BNNRegressor(prior="gaussian", **SAME)
    settings = set(vars(model))
    model.fit(X, y)
    assert vars(model).keys() - settings <= set(network_estimator.LEFT_BY_A_FIT)
    model.fit(X.to_numpy(), y)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.usefixtures("few_sweeps")
def test_targets_in_other_columns_are_refused() -> None:
    X, y = line(60, 3)
    both = pd.DataFrame({"u": y, "v": 100 - y})
    model = studies.BNNRegressor(prior="gaussian", **SAME).fit(X, both)
    assert model.score(X, both) > 0.5
    assert model.log_density(X, both.to_numpy()).mean() == model.log_density(X, both).mean()
    for ask in (model.score, model.log_density):
        with pytest.raises(ValueError, match=r"y has the columns \['v', 'u'\]: give \['u', 'v'\]"):
            ask(X, both[["v", "u"]])


def test_weights_of_other_chains_are_refused() -> None:
    idata = xr.DataTree.from_dict({"posterior": xr.Dataset({"x": (("chain", "draw"), [[1.0]])})})
    with pytest.raises(ValueError, match=r"idata has 1 chain\(s\), and weights are of 2"):
        predicting_draws(idata, ChainWeights((0.9, 0.1), 50.0, 1.0, 120))
