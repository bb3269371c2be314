"""A run goes on from fits of the models that it declares, and says who made them."""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from pymc_bnn import models, studies
from pymc_bnn.models.description import attach
from pymc_bnn.studies.fits.resuming import check_same_models, notes_on_versions

X = np.linspace(-1, 1, 6)[:, None]


def network(sd: float = 1.0, likelihood: models.Likelihood | None = None) -> models.BNN:
    given = models.GaussianNoise() if likelihood is None else likelihood
    return models.BNN(X, X[:, 0], (2,), prior=models.Gaussian(sd=sd), likelihood=given)


@pytest.mark.parametrize(
    ("earlier", "what"),
    [
        (network(sd=0.05), "prior"),
        (network(likelihood=models.GaussianNoise(sd=0.3)), "likelihood"),
        (models.BNN(X, X[:, 0], (3,), prior=models.Gaussian()), "hidden"),
    ],
)
def test_fits_of_models_that_are_declared_otherwise_are_refused(
    earlier: models.BNN, what: str, tmp_path: Path
) -> None:
    saved = {"gaussian": attach(xr.DataTree(), earlier.to_dict())}
    check_same_models(tmp_path / "fits", saved, {"gaussian": earlier})
    said = f"has a fit of gaussian whose {what} is declared otherwise now; name another folder"
    with pytest.raises(studies.InputError, match=said):
        check_same_models(tmp_path / "fits", saved, {"gaussian": network()})


def test_settings_that_older_descriptions_lack_are_not_held_against_them(tmp_path: Path) -> None:
    described = network().to_dict()
    for group in described["prior"].values():
        group.pop("sd", None)
    saved = {"gaussian": attach(xr.DataTree(), described)}
    check_same_models(tmp_path / "fits", saved, {"gaussian": network()})


def test_fits_of_this_version_need_no_note() -> None:
    versions = json.dumps({"pymc-bnn": version("pymc-bnn")})
    assert notes_on_versions({"ard": xr.DataTree(xr.Dataset(attrs={"versions": versions}))}) == ()
