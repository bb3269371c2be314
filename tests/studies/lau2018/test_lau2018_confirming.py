"""What was chosen beside other classifiers, on digits that no choice has used."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.confirming import confirmed, peer_key
from pymc_bnn.studies.lau2018.design.digits import digits
from pymc_bnn.studies.lau2018.numbers.confirming import BETWEEN, DIFFERENCE, ERROR, confirmation
from pymc_bnn.studies.lau2018.numbers.results import Results
from pymc_bnn.studies.lau2018.runs import confirming
from pymc_bnn.studies.lau2018.words.confirming import confirmation as claims
from pymc_bnn.studies.reproduction.unit_store import save_unit
from pymc_bnn.studies.reproduction.verdicts import Verdict

STANDS, FAILS, UNDECIDED = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
TRUTH = np.concatenate([digits("raw").y_between, digits("raw").y_test])


def made(wrong: int, of: int = 797, chains: int = 1, rhat: float = 1.01) -> xr.Dataset:
    """Predictions that err on so many of the first images, and on the last ten of all."""
    said = TRUTH.copy()
    said[:wrong] += 1
    said[-10:] += 1
    probability = np.tile(np.where(np.eye(10)[said % 10] > 0, 0.91, 0.01), (chains, 1, 1))
    numbers = {"seconds": 1.0, "outputs_max_rhat": rhat, "outputs_min_ess": 400.0}
    cells = ("chain", "case", "class")
    data = {"probability": (cells, probability), "predicted": ("case", said % 10)}
    return xr.Dataset(data).assign(numbers)


def table(folder: Path, network: xr.Dataset, peer: xr.Dataset) -> pd.DataFrame:
    save_unit(network, folder, confirmed().key)
    save_unit(peer, folder, peer_key("SVM", "edges"))
    return confirmation(Results(folder, BUDGETS["desk"]))


def test_differences_are_paired_on_the_digits_between_the_sets(tmp_path: Path) -> None:
    network, peer = table(tmp_path, made(20, chains=2), made(60)).iloc
    assert (network[BETWEEN], peer[BETWEEN]) == pytest.approx((2000 / 797, 6000 / 797))
    assert network["error % of the 500"] == pytest.approx(2.0)
    gap = np.zeros(797)
    gap[20:60] = -1.0  # all others are right, or wrong, in both
    assert peer[DIFFERENCE] == pytest.approx(100 * gap.mean())
    assert peer[ERROR] == pytest.approx(100 * gap.std(ddof=1) / np.sqrt(797))
    assert network["log score"] > peer["log score"]


@pytest.mark.parametrize(
    ("wrong", "peer", "rhat", "expected"),
    [
        (20, 60, 1.01, (STANDS, STANDS)),
        (47, 50, 1.01, (UNDECIDED, UNDECIDED)),
        (90, 50, 1.01, (FAILS, FAILS)),
        (20, 60, 1.20, (UNDECIDED, UNDECIDED)),
    ],
)
def test_claims_are_judged_by_digits_that_no_choice_has_used(
    wrong: int, peer: int, rhat: float, expected: tuple[Verdict, ...], tmp_path: Path
) -> None:
    found = claims({"confirmation": table(tmp_path, made(wrong, chains=2, rhat=rhat), made(peer))})
    assert tuple(claim.verdict for claim in found) == expected


def test_peers_predict_all_images_that_are_not_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(confirming.GRIDS, "logistic regression", {"C": [0.01, 0.1]})
    found = confirming.confirm_peer("logistic regression", "centred")
    assert found["predicted"].shape == TRUTH.shape
    assert 0.02 < (found["predicted"].values != TRUTH).mean() < 0.15
    np.testing.assert_allclose(found["probability"].sum("class"), 1.0)
