"""Sharp transitions by heat capacities and energies: what shows one, what excludes it."""

import numpy as np
import pandas as pd
import pytest
from pymc_bnn.studies.baldock2019.design.sweeps import Sweep
from pymc_bnn.studies.baldock2019.numbers.heat import capacities, heat, jumps, peaks
from pymc_bnn.studies.baldock2019.numbers.tables import mcse
from pymc_bnn.studies.baldock2019.words import sharp
from scipy.integrate import cumulative_trapezoid

RNG_SEED = 15
CASES = 500
LADDER = np.array(Sweep("M3", CASES).temperatures())
AT, BETWEEN = 1.0, 10**0.125  # a temperature of the ladder, and the middle of a step
SMOOTH, SHARP = 1.0, 0.1  # widths of a peak in powers of e; a step is 0.58
LONG, SHORT = 2000, 10  # effective draws


def made(
    width: float,
    centre: float,
    draws: int,
    apart: float = 0.0,
    cold: float = 0.0,
    spread: float = 0.5,
) -> dict[str, pd.DataFrame]:
    """Tables of chains with a peak of 300 over a heat capacity of 20.

    Cooled and heated chains are off by ``apart`` in their integrals, each chain by ``spread``, and
    by ``cold`` in their energies at the least temperature.
    """
    rng = np.random.default_rng(RNG_SEED)
    finite = LADDER[np.isfinite(LADDER)]
    fine = np.unique(np.concatenate([np.geomspace(1e-4, finite[-1], 50_000), finite]))
    capacity = 20 + 300 / np.cosh(np.log(fine / centre) / width) ** 2
    total = cumulative_trapezoid(capacity, fine, initial=0.0)
    here = np.searchsorted(fine, finite)
    rows, integrals = [], []
    for sign, direction in ((1, "cooling"), (-1, "heating")):
        for chain in range(2):
            named = {"network": "M3", "cases": CASES, "direction": direction, "chain": chain}
            error = finite * np.sqrt(capacity[here] / draws)
            energy = total[here] + error * rng.normal(size=finite.size)
            energy[0] += sign * cold
            c = capacity[here] * rng.chisquare(draws - 1, finite.size) / (draws - 1)
            table = {"temperature": finite, "training error": energy, "± training": error}
            table = pd.DataFrame(table) / [1, CASES, CASES]
            rows.append(table.assign(**named, walls="reflect", **{"heat capacity": c}))
            value = -500 + sign * apart + spread * (-1) ** chain
            integrals.append(named | {"by": direction, "log evidence": value, "±": 1.0})
    return {"temperatures": pd.concat(rows), "evidence": pd.DataFrame(integrals)}


@pytest.mark.parametrize(
    ("tables", "verdict", "said"),
    [
        (made(SMOOTH, AT, LONG), "Stands", ""),
        (made(SMOOTH, BETWEEN, LONG), "Stands", ""),
        (made(SHARP, AT, LONG), "Does not stand", "Heat capacity at T = 1 less twice"),
        (made(SHARP, BETWEEN, LONG), "Does not stand", "its mean between T = 1 and 1.78 less"),
        (made(SMOOTH, AT, SHORT), "Undecided", ""),
        (made(SHARP, AT, SHORT), "Undecided", ""),
    ],
)
def test_a_peak_or_a_jump_is_sharp_where_both_sides_are_clearly_lower(
    tables: dict, verdict: str, said: str
) -> None:
    text = sharp.no_jump(("M3",), tables)
    assert f"between T = 0.01 and 100. **{verdict}.**" in text
    assert said in text
    assert "chains do not clearly agree" not in text
    assert "chains clearly disagree" not in text


@pytest.mark.parametrize("width", [SMOOTH, SHARP])
@pytest.mark.parametrize(
    ("apart", "cold", "what"),
    [(40.0, 0.0, "integrals"), (0.0, 0.2, "energies at T = 0.01"), (5.0, 0.0, "integrals")],
)
def test_cooled_and_heated_chains_that_differ_leave_it_undecided(
    width: float, apart: float, cold: float, what: str
) -> None:
    """Also where integrals are within a tenth, but clearly apart, and where one energy is."""
    text = sharp.no_jump(("M3",), made(width, AT, LONG, apart, cold))
    assert "**Undecided.**" in text
    assert f"; {what}, cooled less heated: +" in text
    assert "cooled and heated chains clearly disagree" in text


def test_so_do_integrals_that_are_not_known_well_enough() -> None:
    text = sharp.no_jump(("M3",), made(SMOOTH, AT, LONG, spread=60.0))
    assert "**Undecided.**" in text
    assert "cooled and heated chains do not clearly agree" in text


def test_chains_of_one_direction_alone_are_not_judged() -> None:
    found = made(SMOOTH, AT, LONG)
    rows = found["temperatures"]
    cooled = found | {"temperatures": rows[rows["direction"] == "cooling"]}
    assert "Stands" not in sharp.no_jump(("M3",), cooled)


def test_errors_of_heat_capacities_are_what_their_draws_scatter_by() -> None:
    """Chains of 100 independent energies of standard deviation 3 at T = 2."""
    draws = 3 * np.random.default_rng(RNG_SEED).normal(size=(400, 100))
    values = draws.var(axis=1, ddof=1) / 2.0**2
    known = [
        capacities(pd.DataFrame([row]))[2.0].error
        for row in (
            {"cases": 1, "temperature": 2.0, "± training": mcse(one), "heat capacity": value}
            for one, value in zip(draws, values, strict=True)
        )
    ]
    scatter = values.std(ddof=1)  # known to 1 / sqrt(800) = 3.5%
    assert abs(np.mean(known) / scatter - 1) < 0.16


def test_the_mean_heat_capacity_of_a_step_is_the_change_of_the_energy() -> None:
    """So that it lies between those of its ends where these rise or fall."""
    table = heat(("M3",), made(SMOOTH, AT, LONG))
    assert len(table) == np.sum(LADDER < 101)
    c, mean = table["heat capacity"].to_numpy(), table["up to the next"].to_numpy()[:-1]
    error = 4 * np.hypot(table["±"], table["± up to it"])[:-1]
    assert np.all(mean > np.minimum(c[1:], c[:-1]) - error)
    assert np.all(mean < np.maximum(c[1:], c[:-1]) + error)
    assert heat(("M1",), made(SMOOTH, AT, LONG)).empty


def test_chains_that_stand_still_know_no_heat_capacity() -> None:
    rows = made(SMOOTH, AT, LONG)["temperatures"]
    rows = rows[rows["temperature"] < 101].copy()
    rows.loc[rows["temperature"] == rows["temperature"].min(), "heat capacity"] = 0.0
    first, *others = capacities(rows).values()
    assert first.interval() == (-np.inf, np.inf)
    assert all(np.isfinite(one.error) for one in others)
    assert not np.isfinite(jumps(rows)[0].left.error)
    assert not np.isfinite(peaks(rows)[0].left.error)
