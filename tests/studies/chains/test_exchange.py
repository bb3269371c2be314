"""Walks of replicas through a ladder, from records made by hand."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from pymc_bnn import studies

DIMS = ("chain", "draw", "temperature")


@pytest.fixture
def idata() -> xr.DataTree:
    """Two chains of three replicas: the first one walks up and back twice, the second one once."""
    rng = np.random.default_rng(1)
    up = [[0, 1, 2], [1, 0, 2], [1, 2, 0], [1, 0, 2]]
    replica = np.array([[*up, *up, [0, 1, 2]], [*up, [0, 1, 2], *[[0, 1, 2]] * 4]])
    swapped = np.full((2, 9, 2), np.nan)
    swapped[:, ::2, 0], swapped[:, 1::2, 1] = 0.25, 0.75
    ladder = {
        "replica": (DIMS, replica),
        "log_likelihood": (DIMS, rng.normal(size=(2, 9, 3)) - [0, 5, 50]),
        "acceptance_rate": (DIMS, np.full((2, 9, 3), [0.8, 0.7, 0.9])),
        "swap_probability": (("chain", "draw", "colder"), swapped),
    }
    coordinates = {"temperature": [1.0, 4.0, np.inf], "colder": [1.0, 4.0]}
    coordinates |= {"chain": [0, 1], "draw": np.arange(9)}
    return xr.DataTree.from_dict({"replica_exchange": xr.Dataset(ladder, coordinates)})


def test_summary_has_a_row_for_each_temperature(idata: xr.DataTree) -> None:
    found = studies.exchange_summary(idata)
    assert found.index.tolist() == [1.0, 4.0, np.inf]
    np.testing.assert_allclose(found["acceptance"], [0.8, 0.7, 0.9])
    np.testing.assert_allclose(found["swapped with the next"], [0.25, 0.75, np.nan])
    np.testing.assert_allclose(found["log likelihood"], [0, -5, -50], atol=1)
    assert found["R-hat"].between(0.5, 3).all()
    assert found.attrs["round_trips"] == [2, 1]


def test_plot_shows_where_replicas_were(idata: xr.DataTree) -> None:
    figure = studies.plot_exchange(idata, chain=0)
    walks, swaps = figure.axes
    first = walks.lines[0].get_ydata().round().astype(int)
    assert first.tolist() == [0, 1, 2, 1, 0, 1, 2, 1, 0]
    assert walks.get_title() == "All 3 replicas: 2 round trips"
    assert [bar.get_width() for bar in swaps.patches] == [0.25, 0.75]
    plt.close(figure)


def test_draws_without_a_ladder_are_refused(idata: xr.DataTree) -> None:
    with pytest.raises(studies.InputError, match="no ladder"):
        studies.exchange_summary(xr.DataTree())
    with pytest.raises(studies.InputError, match="chain: 2; give one of 0, 1"):
        studies.plot_exchange(idata, chain=2)
