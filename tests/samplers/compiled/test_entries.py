"""Functions that are called by their address."""

import gc
import weakref

import numpy as np
import pytest
from numba import njit, types
from pymc_bnn.models.simd.lane_memory import number, pointer, put
from pymc_bnn.samplers.compiled.engine import entry
from pymc_bnn.samplers.compiled.entries import NO_ENTRY, call
from pymc_bnn.samplers.compiled.words import (
    address,
    array_type,
    arrays_from,
    bits,
    copied,
    described,
    doubles_at,
    real_at,
    written,
)

arrays = arrays_from(2, (array_type("float64", 2), array_type("int64", 0)))


def weighted_sum(q, gradient, extra, words):
    """Entry whose words are a factor, a matrix and a number of columns."""
    matrix, columns = arrays(words)
    if number(q, 0) < 0.0:
        raise ValueError("negative")
    total = 0.0
    for i in range(matrix.shape[0]):
        put(gradient, i, real_at(words, 1) * matrix[i, columns[()] - 1])
        total += number(q, i) * number(gradient, i)
    return total


@njit
def called(q, gradient, words):
    """Call the entry whose address is the first word."""
    at = pointer(words, 0)
    return call(number(at, 0), pointer(q, 0), pointer(gradient, 0), pointer(q, 0), at)


def test_an_entry_reads_its_words() -> None:
    matrix, columns = np.arange(6.0).reshape(3, 2), np.array(2)
    made = entry(weighted_sum)
    numbers = [made.address, bits(0.5), *described(matrix), *described(columns)]
    words = written(numbers, (made, matrix, columns))
    gradient = np.empty(3)
    assert called(np.ones(3), gradient, words) == 0.5 * matrix[:, 1].sum()
    np.testing.assert_array_equal(gradient, 0.5 * matrix[:, 1])
    columns[()] = 1
    assert called(np.ones(3), gradient, words) == 0.5 * matrix[:, 0].sum()
    with pytest.raises(ValueError, match="negative"):
        called(-np.ones(3), gradient, words)


def test_the_same_function_is_one_entry() -> None:
    assert entry(weighted_sum) is entry(weighted_sum)


def test_a_function_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=NO_ENTRY):
        called(np.ones(3), np.ones(3), np.zeros(2, np.int64))


def test_words_and_their_copies_keep_arrays_alive() -> None:
    array = np.arange(3.0)
    words = written([address(array)], array)
    again, watched = copied(words, words), weakref.ref(array)
    del array, words
    gc.collect()
    assert watched() is not None

    @njit(types.float64(types.int64[::1]))
    def last(words):
        return number(doubles_at(pointer(words, 0), 0), 2)

    assert last(again) == 2.0
    del again
    gc.collect()
    assert watched() is None
