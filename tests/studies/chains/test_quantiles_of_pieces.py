"""Quantiles of pieces are those of all their draws."""

import numpy as np
import pytest
from pymc_bnn.studies.chains.quantiles_of_pieces import quantiles_of_pieces

PROBABILITIES = (0.0, 0.05, 0.3, 0.5, 0.51, 0.95, 1.0)


@pytest.mark.parametrize("apart", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("sizes", [(1,), (2,), (1, 1), (400, 400), (3, 500, 40), (1, 2, 3, 1000)])
def test_they_are_those_of_all_draws(sizes: tuple[int, ...], apart: float) -> None:
    """Where pieces lie apart, the tail of all is one piece, of which more is needed."""
    rng = np.random.default_rng(len(sizes))
    pieces = [k * apart * rng.normal() + rng.normal(size=(7, 2, n)) for k, n in enumerate(sizes)]
    pieces = [np.round(piece, 1) for piece in pieces]  # ties too
    found = quantiles_of_pieces([np.sort(piece, axis=-1) for piece in pieces], PROBABILITIES)
    expected = np.quantile(np.concatenate(pieces, axis=-1), PROBABILITIES, axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
