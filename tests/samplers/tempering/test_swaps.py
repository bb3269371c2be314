"""Swaps leave the joint distribution of all replicas as it is."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numba import njit
from pymc_bnn.samplers.tempering.lanes.block import exchange
from pymc_bnn.samplers.tempering.lanes.state import allocate_records, start_ladder
from pymc_bnn.samplers.tempering.swaps import round_trips, swap, swap_probabilities

BETA = np.array([1.5, 1.0, 0.3, 0.0])
PRIOR = np.array([0.5, 0.2, 0.3])
LOG_LIKELIHOOD = np.array([-3.0, 0.7, -np.inf])  # of three states


def joint() -> tuple[list[tuple[int, ...]], np.ndarray]:
    """All states of four replicas, and their probabilities."""
    states = list(product(range(3), repeat=BETA.size))
    with np.errstate(invalid="ignore"):
        powers = np.where(BETA[:, None] == 0, 0.0, BETA[:, None] * LOG_LIKELIHOOD)
    tempered = PRIOR * np.exp(powers)
    tempered /= tempered.sum(axis=1, keepdims=True)
    return states, np.array([np.prod(tempered[np.arange(BETA.size), list(s)]) for s in states])


@njit
def exchange_lanes(ladder: Any, records: Any, draw: int, row: int) -> None:
    exchange(ladder, records, draw, row)


def swap_lanes(
    likelihoods: np.ndarray, beta: np.ndarray, parity: int, uniforms: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What :func:`swap` does, by the compiled code for replicas in lanes."""
    ladder = start_ladder(beta, 1, 1, 1, np.ones(1), 0)
    ladder.log_likelihood[:], ladder.uniforms[:] = likelihoods, uniforms
    records = allocate_records(0, True, 2, (beta.size, 1, 1, 1))
    exchange_lanes(ladder, records, parity, 0)
    order = ladder.replica
    assert ladder.place[order].tolist() == list(range(beta.size))
    assert (ladder.place[beta.size :] == ladder.place[beta.size - 1]).all()
    np.testing.assert_array_equal(records.replica[parity], order)
    np.testing.assert_array_equal(ladder.log_likelihood, likelihoods[order])
    return order, records.swap_probability[parity]


@pytest.mark.parametrize("swap", [swap, swap_lanes])
@pytest.mark.parametrize("parity", [0, 1])
def test_swaps_are_in_detailed_balance(parity: int, swap: Callable) -> None:
    """Exactly, on a posterior of three states: each pair that tries, by itself and together."""
    states, probability = joint()
    where = {state: i for i, state in enumerate(states)}
    flow = np.zeros((len(states), len(states)))
    for i, state in enumerate(states):
        if probability[i] == 0:
            continue
        likelihoods = LOG_LIKELIHOOD[list(state)]
        chance = swap_probabilities(likelihoods, BETA)
        pairs = range(parity, BETA.size - 1, 2)
        for taken in product([False, True], repeat=len(pairs)):
            uniforms, share, after = np.zeros(BETA.size - 1), 1.0, list(state)
            for pair, takes in zip(pairs, taken, strict=True):
                share *= chance[pair] if takes else 1 - chance[pair]
                uniforms[pair] = 0.0 if takes else 1 - 1e-12
                if takes:
                    after[pair], after[pair + 1] = after[pair + 1], after[pair]
            if share == 0:
                continue
            order, tried = swap(likelihoods, BETA, parity, uniforms)
            assert [state[k] for k in order] == after
            assert np.isnan(tried[1 - parity :: 2]).all()
            np.testing.assert_allclose(tried[parity::2], chance[parity::2], rtol=1e-14)
            flow[i, where[tuple(after)]] += probability[i] * share
    assert np.allclose(flow.sum(axis=1), probability, atol=1e-15)
    np.testing.assert_allclose(flow, flow.T, atol=1e-16)


def test_no_swap_without_any_likelihood() -> None:
    assert swap_probabilities(np.full(2, -np.inf), np.array([1.0, 0.5]))[0] == 0


def test_impossible_replicas_leave_the_prior_never_but_come_to_it() -> None:
    hot = np.array([1.0, 0.0])
    assert swap_probabilities(np.array([-1.0, -np.inf]), hot)[0] == 0
    assert swap_probabilities(np.array([-np.inf, -1.0]), hot)[0] == 1


def test_round_trips_are_counted_by_replica() -> None:
    """One replica of three goes up and down; the others are only pushed aside."""
    walk = np.array([[0, 1, 2], [1, 0, 2], [1, 2, 0], [1, 0, 2], [0, 1, 2], [1, 0, 2], [1, 2, 0]])
    assert round_trips(walk) == 1
    assert round_trips(walk[:5]) == 1
    assert round_trips(walk[:3]) == 0
    assert round_trips(np.zeros((5, 1), int)) == 0
