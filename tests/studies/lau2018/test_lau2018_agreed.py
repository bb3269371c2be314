"""Networks whose chains agree, on all digits that are not trained on."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from pymc_bnn.studies.lau2018.design.agreed import PLACES, agreed, ways
from pymc_bnn.studies.lau2018.design.budgets import BUDGETS
from pymc_bnn.studies.lau2018.design.declarations import Experiment, Network
from pymc_bnn.studies.lau2018.design.digits import digits
from pymc_bnn.studies.lau2018.numbers import agreed as numbers
from pymc_bnn.studies.lau2018.numbers.results import Results
from pymc_bnn.studies.lau2018.runs.fits import fit_on_others
from pymc_bnn.studies.lau2018.runs.steps import build_network, build_steps
from pymc_bnn.studies.lau2018.words import agreed as words
from pymc_bnn.studies.reproduction.claims import Claim
from pymc_bnn.studies.reproduction.unit_store import save_unit
from pymc_bnn.studies.reproduction.verdicts import Verdict

STANDS, FAILS, UNDECIDED = Verdict.STANDS, Verdict.FAILS, Verdict.UNDECIDED
ROWS = [row.row for row in agreed()]


def predicted(truth: np.ndarray, wrong: int, chains: int) -> np.ndarray:
    """Probabilities that err on so many of the first cases."""
    said = truth.copy()
    said[:wrong] += 1
    return np.tile(np.where(np.eye(10)[said % 10] > 0, 0.91, 0.01), (chains, 1, 1))


def made(between: int, test: int, rhat: float = 1.01, waic: float = -1.0) -> xr.Dataset:
    data, cells = digits("raw"), ("chain", "other", "class")
    probability = predicted(data.y_test, test, 4), predicted(data.y_between, between, 4)
    columns = {"probability": (("chain", "case", "class"), probability[0])}
    columns |= {"between": (cells, probability[1]), "waic": ("row", np.full(500, waic))}
    sampled = {"min_ess": 300.0, "median_ess": 900.0, "max_rhat": rhat}
    return xr.Dataset(columns).assign(
        {"seconds": 3.0, **{f"outputs_{name}": value for name, value in sampled.items()}}
    )


def tables(folder: Path, fits: dict[str, xr.Dataset]) -> dict[str, pd.DataFrame]:
    for row in agreed():
        if row.row in fits:
            save_unit(fits[row.row], folder, row.key)
    results = Results(folder, BUDGETS["desk"])
    measured = {name: getattr(numbers, name) for name in ("agreed", "agreed_differences")}
    return {name: measure(results) for name, measure in measured.items()}


def claim(found: list[Claim], text: str) -> Claim:
    [one] = [claim for claim in found if claim.text.startswith(text)]
    return one


def test_errors_are_counted_on_all_digits_that_are_not_trained_on(tmp_path: Path) -> None:
    found = tables(tmp_path, {"normal": made(40, 10), "horseshoe": made(60, 5)})
    normal = found["agreed"].set_index("row").loc["normal"]
    assert normal[numbers.ALL] == pytest.approx(100 * 50 / 1297)
    assert normal[numbers.LAST] == pytest.approx(2.0)
    [difference] = found["agreed_differences"].to_dict("records")
    gap = np.zeros(1297)
    gap[:20], gap[20:25] = 1.0, -1.0  # all others are right, or wrong, in both
    assert difference["error % differs by"] == pytest.approx(100 * gap.mean())
    assert difference["± of it"] == pytest.approx(100 * gap.std(ddof=1) / np.sqrt(1297))
    assert difference["on the 500"] == pytest.approx(-1.0)
    assert difference["thesis's difference"] == pytest.approx(41.0 - 23.4)


@pytest.mark.parametrize(("rhat", "verdict"), [(1.05, STANDS), (1.06, UNDECIDED)])
def test_a_row_counts_where_its_chains_agree(rhat: float, verdict: Verdict, tmp_path: Path) -> None:
    fits = {"2": made(20, 20), "4": made(90, 60, rhat)}
    said = claim(words.agreed(tables(tmp_path, fits)), "Four hidden layers")
    assert said.verdict is verdict
    assert ("Not counted, for their chains do not agree: 4 (R-hat 1.06)" in said.evidence) == (
        verdict is UNDECIDED
    )


def test_a_row_that_does_not_count_saves_no_claim(tmp_path: Path) -> None:
    fits = {row: made(60, 30) for row in ROWS}
    fits |= {"horseshoe": made(10, 5), "normal_ard": made(200, 90, rhat=1.2)}
    found = words.agreed(tables(tmp_path, fits))
    assert claim(found, "All hierarchical priors").verdict is FAILS
    assert claim(found, "They err as often").verdict is FAILS
    assert claim(found, "Scaled priors err more").verdict is UNDECIDED


@pytest.mark.parametrize(("better", "verdict"), [("normal-50", STANDS), ("normal-90", FAILS)])
def test_widths_are_chosen_by_waic(better: str, verdict: Verdict, tmp_path: Path) -> None:
    widths = list(PLACES["information_criterion"])
    fits = {row: made(80, 40) for row in widths} | {better: made(20, 5)}
    fits["normal-90"] = fits["normal-90"].assign(waic=fits["normal-90"]["waic"] + 0.5)
    said = claim(words.agreed(tables(tmp_path, fits)), "WAIC")
    assert said.verdict is verdict
    assert said.evidence.startswith("It chooses normal-90")


def test_every_pair_is_of_rows_that_are_sampled() -> None:
    assert {row for rows in PLACES.values() for row in rows} == set(ROWS)
    assert len({row.row for row in ways()}) == len(ways())


def test_the_way_of_conjugate_precisions_is_what_sample_takes() -> None:
    rows = {row.row: row for row in ways()}
    for prior, names in {
        "normal_inverse_gamma": ["gibbs_hmc"],
        "horseshoe": ["gibbs_precision", "static_hmc"],
    }.items():
        row = rows[f"{prior}-gibbs"]
        steps = build_steps(row.sampler, build_network(row.network))
        assert [step.name for step in steps] == names


def test_digits_between_the_sets_are_predicted_too() -> None:
    row = next(row for row in agreed() if row.row == "normal")
    few = Experiment("agreed", "few", Network(hidden=(2,)), row.sampler).shortened(2, 2, 3)
    found = fit_on_others(few)
    assert found["between"].shape == (2, 797, 10)
    np.testing.assert_allclose(found["between"].sum("class"), 1.0, rtol=1e-5)
    assert {"waic", "outputs_max_rhat", "probability"} <= set(found)


def test_the_best_way_is_named_for_each_prior() -> None:
    columns = {
        "prior": ["a", "a", "b", "c", "c"],
        "way": ["gibbs", "nuts", "nuts", "gibbs", "nuts"],
        numbers.RATE: [3.0, 4.0, 1.0, 9.0, 4.0],
        "median ESS of outputs": [150.0, 200.0, 99.0, 150.0, 150.0],
    }
    assert words.ways({"ways": pd.DataFrame(columns)}) == (
        "Largest rate, which decides nothing where fewer than 100 draws are effective or another "
        "way is within a factor of two: nuts for a (4 effective draws a second, gibbs within a "
        "factor of two), nuts for b (too few), gibbs for c (9 effective draws a second)."
    )
