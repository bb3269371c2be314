"""The thesis' tables are complete, and agree with each other as far as the thesis does."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.choo2000.design.published import TABLES, published

METHODS = {"gibbs", "dynamical_a", "dynamical_b"}
UNITS = {8, 12, 16, 20}
HYPERPARAMETERS = {"delta", "u", "v", "a", "b"}
ROWS = {
    "leapfrog_steps": ("5.10", 3),
    "master_runs": ("5.7", 4),
    "network_passes": ("5.5", 3),
    "optimal_settings": ("5.11", 12),
    "performance": ("5.12", 60),
    "prior_settings": ("5.6", 20),
    "region_shares": ("5.9", 4),
    "start_states": ("5.8", 4),
    "verification_runs": ("5.3", 3),
}
# printed g, and the geometric mean of the printed variances
INCONSISTENT = {
    ("dynamical_a", 8): (0.1039, 0.1028),
    ("dynamical_b", 8): (0.0683, 0.1063),
    ("dynamical_b", 16): (0.0731, 0.0744),
}
PRINTED_HALF_DIGIT = 0.00005


def test_every_table_is_known_here() -> None:
    assert set(ROWS) == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_whole(name: str) -> None:
    frame = published(name)
    assert (frame["table"] == ROWS[name][0]).all()
    assert len(frame) == ROWS[name][1]
    assert not frame.isna().any(axis=None)
    keys = [key for key in ("method", "hidden_units", "hyperparameter") if key in frame]
    assert not frame.duplicated(keys).any()
    for key, valid in zip(
        ("method", "hidden_units", "hyperparameter"), (METHODS, UNITS, HYPERPARAMETERS), strict=True
    ):
        assert key not in frame or set(frame[key]) == valid


def row(name: str, **keys: object) -> pd.Series:
    frame = published(name)
    for key, value in keys.items():
        frame = frame[frame[key] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_numbers_as_printed() -> None:
    worst = row("performance", method="dynamical_a", hidden_units=16, hyperparameter="u")
    assert (worst["rho"], worst["error"], worst["g"]) == (0.6173, 0.2459, 0.1389)
    last = row("performance", method="dynamical_b", hidden_units=20, hyperparameter="b")
    assert (last["rho"], last["error"], last["g"]) == (0.0557, 0.0109, 0.0848)
    prior = row("prior_settings", hidden_units=20, hyperparameter="v")
    assert (prior["sd"], prior["alpha"]) == (0.285, 0.5)
    master = row("master_runs", hidden_units=16)
    assert (master["samples"], master["rejection_rate"]) == (3_500_000, 0.0571)
    tuned = row("optimal_settings", method="dynamical_b", hidden_units=12)
    assert (tuned["leapfrog_steps"], tuned["step_factor"]) == (533, 0.08)
    assert tuned["rejection_rate"] == 0.516
    verified = row("verification_runs", method="dynamical_a")
    assert (verified["leapfrog_steps"], verified["step_factor"]) == (100, 0.48)
    assert row("region_shares", hidden_units=16)["share"] == 0.0705


def test_all_methods_got_the_same_network_passes() -> None:
    steps = published("leapfrog_steps").set_index("method")["steps"]
    passes = published("network_passes").set_index("method")["passes"]
    work = steps * passes
    # a third of 614400 is 204800; the thesis allowed four more
    assert work["gibbs"] == work["dynamical_a"]
    assert work["dynamical_b"] == pytest.approx(work["gibbs"], rel=1e-4)


def test_separations_in_inefficiencies_are_their_ratios() -> None:
    starts = published("start_states")
    ratio = starts["separation"] / starts["inefficiency"]
    assert (ratio.round() == starts["separation_in_inefficiencies"]).all()


def test_g_is_the_geometric_mean_but_for_three_rows_of_the_thesis() -> None:
    found = {}
    for key, rows in published("performance").groupby(["method", "hidden_units"]):
        rho = rows.loc[rows["hyperparameter"] != "b", "rho"].to_numpy()
        assert len(rho) == 4
        assert rows["g"].nunique() == 1
        printed = rows["g"].iloc[0]
        low, high = (
            np.prod(rho + shift) ** 0.25 + shift
            for shift in (-PRINTED_HALF_DIGIT, PRINTED_HALF_DIGIT)
        )
        if not low <= printed <= high:
            found[key] = (printed, round(float(np.prod(rho) ** 0.25), 4))
    assert found == INCONSISTENT


def test_an_unknown_table_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="did you mean 'performance'"):
        published("performances")
