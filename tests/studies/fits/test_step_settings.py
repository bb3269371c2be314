"""What a comparison asks of the recommended steps."""

import numpy as np
import pytest
from pymc_bnn import models
from pymc_bnn.studies.comparison.request import Request
from pymc_bnn.studies.fits.step_settings import step_settings

X, Y = np.eye(3), np.arange(3.0)


@pytest.mark.parametrize("prior", [models.ARD(), models.Horseshoe(), models.Box()])
def test_an_acceptance_that_is_asked_for_replaces_the_recommended_one(prior: models.Prior) -> None:
    model = models.BNN(X, Y, prior=prior)
    usual, asked = step_settings(model), step_settings(model, 0.97)
    assert asked == {**usual, "target_accept": 0.97}
    assert usual.get("target_accept") in (None, 0.9)


def test_the_command_that_does_it_again_asks_for_it_too() -> None:
    request = Request(target_accept=0.97, periods=("sold=year",), mark_missing=True)
    for words in ("--target-accept 0.97", "--period sold=year", "--mark-missing"):
        assert words in request.command()
    assert "accept" not in Request().command()


def test_chains_make_fewer_sweeps_where_scales_are_given() -> None:
    cases = np.zeros((400, 9)), np.linspace(-1, 1, 400)
    given, learnt = models.Scaled(), models.NormalInverseGamma()
    sweeps = [
        step_settings(models.BNN(*cases, hidden=(8,), prior=prior))["thin"]
        for prior in (learnt, given, {"w0": learnt, "b0": given, "w1": given, "b1": given})
    ]
    assert sweeps == [7, 4, 7]
    lines = [step_settings(models.BNN(*cases, hidden=(), prior=prior)) for prior in (given, learnt)]
    assert lines[0]["thin"] == lines[1]["thin"]
