"""What the rules say of tables that are made up."""

import numpy as np
import pytest
import xarray as xr
from pymc_bnn.samplers.trajectories.rule import choose_factor, choose_length

CHAINS, LENGTHS = 8, (30, 100, 300, 1000)


def chains(draws: list[float], spread: float, seed: int = 1) -> xr.Dataset:
    """Effective draws that scatter around given ones, of a slow quantity and of a fast one."""
    noise = np.random.default_rng(seed).normal(size=(len(draws), CHAINS, 1))
    slow = np.array(draws)[:, None, None] * np.exp(spread * noise)
    dims = ("length", "chain", "quantity")
    data = {
        "effective": (dims, np.concatenate([3 * slow, slow], axis=2)),
        "passes": (dims[:2], np.full((len(draws), CHAINS), 1e5)),
    }
    names = {"length": list(LENGTHS[: len(draws)]), "quantity": ["outputs", "w0_precision"]}
    return xr.Dataset(data, names)


def errors(*sizes: float) -> xr.Dataset:
    factors = [0.1, 0.3, 0.5, 1.0][: len(sizes)]
    values = np.array(sizes) * np.ones((2, 20, 1))
    return xr.Dataset({"error": (("chain", "trajectory", "factor"), values)}, {"factor": factors})


@pytest.mark.parametrize(
    ("draws", "spread", "word", "length"),
    [
        ([20.0, 98.0, 100.0, 30.0], 0.01, "chosen", 100),  # the shortest near the best
        ([20.0, 60.0, 100.0, 30.0], 0.01, "chosen", 300),
        ([100.0, 100.0, 20.0, 20.0], 0.5, "undecided", None),
        ([20.0, 100.0, 100.0, 20.0], 0.5, "undecided", 300),  # kept
        ([2.0, 5.0, 6.0, 3.0], 0.01, "undecided", 300),  # chains that tell nothing
    ],
)
def test_the_rule_of_lengths(
    draws: list[float], spread: float, word: str, length: int | None
) -> None:
    found = choose_length(chains(draws, spread), kept=300)
    assert found.word == word
    assert found.value == length or (length is None and found.value in (30, 100))
    assert list(found.table["slowest"].values) == ["w0_precision"] * 4


def test_the_reason_names_what_cannot_be_told_apart() -> None:
    found = choose_length(chains([1.0, 100.0, 100.0, 1.0], 0.5), kept=300)
    assert found.reason == ("Undecided: L = 100 and 300 are not distinguishable; L = 300 is kept.")
    ends = choose_length(chains([100.0, 50.0, 20.0], 0.01), kept=300)
    assert ends.reason.endswith(
        "L = 30 gives the most effective draws per pass, the smallest that was tried."
    )
    few = choose_length(chains([2.0, 5.0, 6.0, 3.0], 0.01), kept=300)
    assert "give more gradients" in few.reason


def test_passes_count_not_draws() -> None:
    table = chains([100.0, 100.0], 0.01)
    table["passes"] = table["passes"] * xr.DataArray([4.0, 1.0], dims="length")
    assert choose_length(table, kept=300).value == 100


def test_equal_lengths_are_seldom_called_worse() -> None:
    tables, equal = 100, [100.0, 100.0, 100.0]
    found = [choose_length(chains(equal, 0.4, seed), kept=300) for seed in range(tables)]
    wrong = np.mean([bool((one.table["high"] < 1.0).any()) for one in found])
    # the best is chosen afterwards, so that the level of 5% holds but roughly
    assert wrong < 0.10 + 3.1 * np.sqrt(0.10 * 0.90 / tables)
    assert np.mean([one.word == "undecided" for one in found]) > 0.9


@pytest.mark.parametrize(
    ("sizes", "factor"),
    [
        ((0.0, 0.0, 0.01, 20.0), 0.5),
        ((0.0, 0.1, 0.6, 20.0), 0.3),  # more is rejected than is gained
        ((0.0, 20.0, 0.0, 0.0), 0.1),  # beyond an unstable factor none is stable
    ],
)
def test_the_rule_of_factors(sizes: tuple[float, ...], factor: float) -> None:
    found = choose_factor(errors(*sizes))
    assert (found.word, found.value) == ("chosen", factor)


def test_a_share_of_large_errors_makes_a_factor_unstable() -> None:
    table = errors(0.0, 0.0)
    table["error"].values[0, :3, 1] = -50.0  # three of 40, and a fall of the energy is an error too
    assert choose_factor(table).table["stable"].values.tolist() == [True, False]
    table["error"].values[0, 2, 1] = 0.0
    assert choose_factor(table).table["stable"].values.tolist() == [True, True]


def test_none_is_stable() -> None:
    found = choose_factor(errors(11.0, np.inf))
    assert (found.word, found.value) == ("none stable", None)
    assert "100% of trajectories" in found.reason
