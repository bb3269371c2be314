"""What estimators leave to pilots: hidden layers, and noise."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pymc_bnn import studies
from pymc_bnn.models import BNN, GaussianNoise
from pymc_bnn.studies.estimators import network_estimator
from pymc_bnn.studies.structure import noise, pilots
from pymc_bnn.studies.structure.choosing import Structure
from pymc_bnn.studies.structure.likelihoods import ChosenLikelihood
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

TINY: dict[str, Any] = {"draws": 20, "tune": 20, "chains": 1, "cores": 1, "random_state": 0}


@pytest.mark.usefixtures("without_plots")
def test_noise_may_differ_by_case(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, (300, 1))
    sd = np.exp(X[:, 0])
    y = 100 * sd * rng.normal(size=300)
    chosen: dict[str, Any] = {"draws": 200, "tune": 100, "cores": 1, "random_state": 1}
    model = studies.BNNRegressor(hidden=(4,), **chosen).fit(X, y)
    assert model.noise_ is not None
    assert model.noise_.name == "heteroscedastic_noise"
    assert model.noise_.table.loc["gaussian_noise", "behind"] > 0.3  # of 0.5 in the limit
    mean, std = model.predict(X, return_std=True)
    assert mean.shape == std.shape == (300,)
    assert np.corrcoef(np.log(std), X[:, 0])[0, 1] > 0.97
    true = norm.logpdf(y, scale=100 * sd).mean()
    assert abs(model.log_density(X, y).mean() - true) < 0.06
    page = model.report_(tmp_path / "report.html").read_text("utf-8")
    assert "heteroscedastic_noise, the best of" in page


@pytest.mark.usefixtures("few_sweeps")
def test_hidden_layers_and_noise_are_chosen_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, sample = [], pilots._sample

    def counted(model: BNN, *run: Any) -> Any:
        ran.append((model.likelihood.name, model.hidden))
        return sample(model, *run)

    monkeypatch.setattr(pilots, "_sample", counted)
    monkeypatch.setattr(pilots, "TUNE", 20)
    monkeypatch.setattr(pilots, "DRAWS", 10)
    rng = np.random.default_rng(10)
    X = rng.normal(size=(60, 2))
    y = X @ [1.0, -0.5] + 0.5 * rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = studies.BNNRegressor(**TINY).fit(X, y)
        assert found.noise_ is not None
        layers = [(noise.SAME, hidden) for hidden in pilots.CANDIDATES]
        assert ran == [*layers, (noise.BY_ROW, found.hidden_)]  # none of them twice
        chosen: dict[str, Any] = {
            "hidden": found.hidden_,
            "likelihood": found.noise_.name,
        }
        given = studies.BNNRegressor(hidden=(), likelihood="gaussian", **TINY).fit(X, y)
        named = studies.BNNRegressor(**{**TINY, **chosen}).fit(X, y)
    assert found.structure_ is not None
    assert found.hidden_ == found.structure_.hidden
    assert found.hidden_ in pilots.CANDIDATES
    assert len(found.noise_.tried) == 2
    np.testing.assert_array_equal(named.predict(X), found.predict(X))
    assert (given.structure_, given.noise_) == (None, None)


@pytest.mark.usefixtures("few_sweeps")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_networks_and_pilots_have_the_settings_that_suit_targets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A likelihood says which, as to the command line; these say their standard deviation."""
    seen: list[object] = []

    def suiting(kind: type[GaussianNoise], y: Any) -> GaussianNoise:
        return kind(sd=0.25 * float(np.std(y)))

    def structure(X: Any, y: Any, given: object, *more: Any, **options: Any) -> Structure:
        seen.append(given)
        return Structure((), (), 0)

    def likelihood(
        X: Any, y: Any, given: dict[str, object], *more: Any, **options: Any
    ) -> ChosenLikelihood:
        seen.append(given[noise.SAME])
        return ChosenLikelihood(noise.SAME, (), 0)

    monkeypatch.setattr(GaussianNoise, "suiting", classmethod(suiting))
    monkeypatch.setattr(network_estimator, "choose_structure", structure)
    monkeypatch.setattr(noise, "choose_likelihood", likelihood)
    X = np.linspace(-1, 1, 60)[:, None]
    found = studies.BNNRegressor(**TINY).fit(X, 1000 * X[:, 0])
    seen.append(found._model.likelihood)
    assert [getattr(one, "sd", one) for one in seen] == pytest.approx([0.25] * 3)


def test_standard_deviations_that_rest_on_few_draws_are_told() -> None:
    """A linear logarithm of the noise is extrapolated; its uncertainty grows with the distance."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 1))
    line: dict[str, Any] = {"hidden": (), "draws": 300, "tune": 100, "cores": 1, "random_state": 1}
    model = studies.BNNRegressor(likelihood="heteroscedastic", **line)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, X[:, 0] + rng.normal(size=60))
    model.predict(X, return_std=True)
    with pytest.warns(UserWarning, match="^std rests on few draws at 1 of 2 predictions"):
        model.predict([[0.0], [40.0]], return_std=True)
