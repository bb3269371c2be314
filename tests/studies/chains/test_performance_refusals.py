"""What an evaluation of chains cannot use is refused, with the argument and the remedy."""

from typing import Any

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.studies import (
    InputError,
    compare_performance,
    geometric_mean_performance,
    variance_of_means,
)

from ..simulated_chains import LABELS, SHARE, draws_of, seven_chains

NAN = draws_of(u=np.array([[1.0, np.nan], [0.0, 1.0]]))


@pytest.fixture
def draws() -> xr.Dataset:
    return seven_chains()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reference": {"z": 0}}, "idata: no draws of 'z'; it has 'u', 'v', 'w'"),
        ({"reference": {}}, "variables: .* give a list"),
        ({"idata": xr.DataTree()}, "idata: no group 'posterior'"),
        ({"idata": NAN}, "idata: 'u' has NaN or infinite draws"),
        ({"idata": xr.Dataset({"u": ("chain", [1.0, 2.0])})}, "idata: 'u' has no draws"),
        ({"idata": draws_of(u=np.zeros((1, 4)))}, "idata: 1 chain; an error needs at least 2"),
        ({"reference": {"u": np.nan}}, "reference: 'u' is NaN"),
        ({"reference": {"w": np.zeros(3)}}, r"reference: 'w' has shape \(3,\), a draw \(2, 3\)"),
        ({"reference": {"w": xr.DataArray([0.0], dims="z")}}, "reference: 'w' has dimensions"),
        ({"stratum": LABELS}, "give both stratum and share"),
        ({"share": SHARE}, "give both stratum and share"),
        ({"stratum": LABELS[:-1], "share": SHARE}, r"stratum: shape \(6,\) for 7 chains"),
        ({"stratum": LABELS, "share": {"out": 1.0}}, "share: no fraction for stratum 'in'"),
        ({"stratum": LABELS, "share": {"out": 0.8, "in": 0.1}}, "add up to 0.9"),
        ({"stratum": LABELS, "share": SHARE | {"up": 0.0}}, "share: stratum 'up' has no chains"),
        ({"stratum": LABELS, "share": {"out": 1.2, "in": -0.2}}, "share: -0.2 for stratum 'in'"),
        ({"stratum": LABELS, "share": {"out": 1.0, "in": np.nan}}, "share: nan for stratum 'in'"),
        ({"stratum": [0] * 6 + [1], "share": {0: 0.9, 1: 0.1}}, "stratum: only one chain in 1"),
        ({"stratum": [0.0] * 6 + [np.nan], "share": {0: 1.0}}, "stratum: a label is missing"),
    ],
)
def test_what_does_not_fit_is_refused(
    draws: xr.Dataset, arguments: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {"idata": draws, "reference": {"u": 0.0}} | arguments
    with pytest.raises(InputError, match=message):
        variance_of_means(**given)


def test_labels_of_other_chains_are_refused(draws: xr.Dataset) -> None:
    draws = draws.assign_coords(chain=np.arange(7))
    stratum = xr.DataArray(LABELS, dims="chain", coords={"chain": np.arange(1, 8)})
    with pytest.raises(InputError, match="its chains are not those of idata"):
        variance_of_means(draws, {"u": 0.0}, stratum=stratum, share=SHARE)


def test_true_means_with_other_coordinates_are_refused(draws: xr.Dataset) -> None:
    means = xr.DataArray(np.zeros((2, 3)), dims=("w_0", "w_1"), coords={"w_0": [0, 1]})
    with pytest.raises(InputError, match="'w' has other coordinates"):
        variance_of_means(draws.assign_coords(w_0=[5, 6]), {"w": means})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variables": "u"}, "variables: 'u'; give a list"),
        ({"variables": []}, "variables: "),
        ({"variables": ["u", "v"]}, "reference: no true mean of 'v'"),
        ({"samples": 0}, "samples: 0; give 1 or more"),
        ({"probability": 90}, "probability: 90; give a number between 0 and 1"),
        ({"idata": draws_of(u=np.zeros((4, 3)))}, "variables: 'u' never left the true mean"),
    ],
)
def test_what_g_cannot_use_is_refused(
    draws: xr.Dataset, arguments: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {"idata": draws, "reference": {"u": 0.0}, "variables": ["u"]}
    with pytest.raises(InputError, match=message):
        geometric_mean_performance(**(given | arguments), rng=1)


def test_chains_that_are_no_pairs_are_refused(draws: xr.Dataset) -> None:
    with pytest.raises(InputError, match="first and second: 7 and 6 chains"):
        compare_performance(draws, draws.isel(chain=slice(6)), {"u": 0}, ["u"], rng=1)
    labelled = draws.assign_coords(chain=np.arange(7))
    with pytest.raises(InputError, match="labelled differently"):
        compare_performance(
            labelled, labelled[{"chain": slice(None, None, -1)}], {"u": 0}, ["u"], rng=1
        )
