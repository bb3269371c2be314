"""What was chosen beside other classifiers, on digits that no choice of a network has used."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.confirming import BLOCKS, SHUFFLED, confirmed, peer_key
from pymc_bnn.studies.lau2018.design.digits import digits
from pymc_bnn.studies.lau2018.numbers.confirming import (
    BETWEEN,
    DIFFERENCE,
    ERROR,
    PAIRED,
    confirmation,
    confirmation_shuffled,
    unpaired_where_missing,
)
from pymc_bnn.studies.lau2018.numbers.results import Results
from pymc_bnn.studies.lau2018.runs import confirming
from pymc_bnn.studies.lau2018.runs.fits import fold_rows
from pymc_bnn.studies.lau2018.runs.stages import confirming_units
from pymc_bnn.studies.lau2018.words.confirming import chosen_anew
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


def test_blocks_that_chose_the_network_choose_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [rows for _, rows in confirming.SPLITS[BLOCKS].split(TRUTH[:500])]
    for rows, block in zip(parts, fold_rows(confirming.FOLDS), strict=True):
        np.testing.assert_array_equal(rows, block)
    # what shuffled folds choose is another setting
    monkeypatch.setitem(confirming.GRIDS, "logistic regression", {"C": [0.3, 3.0]})
    for folds, best in (((), 3.0), ((SHUFFLED,), 0.3)):
        found = confirming.confirm_peer("logistic regression", "centred", *folds)
        assert json.loads(found.attrs["settings"]) == {"C": best}
    with pytest.raises(ValueError, match="did you mean 'blocks'"):
        confirming.confirm_peer("logistic regression", "centred", "block")


def test_peers_are_run_by_blocks_and_those_with_a_grid_by_shuffled_folds_too() -> None:
    _, *units = confirming_units(BUDGETS["desk"], 0)
    for folds, count in ((BLOCKS, 8), (SHUFFLED, 6)):
        found = [unit for unit in units if unit.arguments[2] == folds]
        assert len(found) == count
        assert {unit.key for unit in found} == {peer_key(*unit.arguments) for unit in found}


def test_settings_of_shuffled_folds_stand_in_a_table_of_their_own(tmp_path: Path) -> None:
    blocks = table(tmp_path, made(20, chains=2), made(60))
    save_unit(made(55), tmp_path, peer_key("SVM", "edges", SHUFFLED))
    [before] = confirmation_shuffled(Results(tmp_path, BUDGETS["desk"])).to_dict("records")
    assert before[BETWEEN] == pytest.approx(5500 / 797)
    said = chosen_anew({"confirmation": blocks, "confirmation_shuffled": pd.DataFrame([before])})
    assert "decided after the results had been seen" in said
    assert "SVM on edges: +4.4 ± " in said
    assert "the rule gives **stands**" in said
    assert "unpaired" not in said
    assert chosen_anew({"confirmation": blocks}) == ""


def test_without_single_cases_a_difference_has_the_error_of_counts(tmp_path: Path) -> None:
    """It is never smaller than that of pairs, and the page says so."""
    paired = table(tmp_path, made(45, chains=2), made(60))
    assert unpaired_where_missing(paired) is paired
    kept = paired.astype({PAIRED: object})
    kept.loc[1, [DIFFERENCE, ERROR, PAIRED]] = [np.nan, np.nan, np.nan]
    [network, peer] = unpaired_where_missing(kept).to_dict("records")
    assert np.isnan(network[DIFFERENCE])
    assert peer[DIFFERENCE] == pytest.approx(paired.loc[1, DIFFERENCE])
    shares = np.array([45, 60]) / 797
    assert peer[ERROR] == pytest.approx(100 * np.sqrt((shares * (1 - shares)).sum() / 797))
    assert peer[ERROR] > paired.loc[1, ERROR]
    tables = {
        "confirmation": unpaired_where_missing(kept),
        "confirmation_shuffled": paired.iloc[1:],
    }
    first, _ = claims(tables)
    assert first.evidence.partition(". ")[0].endswith("points, unpaired")
    assert first.verdict is UNDECIDED
    assert claims({"confirmation": paired})[0].verdict is STANDS
    assert "unpaired with peers whose settings have changed" in chosen_anew(tables)
