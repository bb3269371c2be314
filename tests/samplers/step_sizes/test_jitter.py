"""Random factors of the step size have the distributions they are named after."""

import numpy as np
import pytest
from pymc_bnn.samplers.step_sizes.jitter import JITTERS, check_jitter, jitter_factor
from scipy import stats

SPREAD = 0.2
DISTRIBUTIONS = {
    "uniform": (lambda x: x, stats.uniform(1 - SPREAD, 2 * SPREAD)),
    "log-normal": (np.log, stats.norm(0, SPREAD)),
    "cauchy": (np.log, stats.cauchy(0, SPREAD)),
}


@pytest.mark.parametrize("kind", JITTERS)
def test_factor_follows_its_distribution(kind: str) -> None:
    rng = np.random.default_rng(1)
    draws = np.array([jitter_factor(kind, rng, SPREAD) for _ in range(4000)])
    transform, distribution = DISTRIBUTIONS[kind]
    assert stats.kstest(transform(draws), distribution.cdf).pvalue > 1e-3
    assert (draws > 0).all()


def test_without_jitter_the_step_size_stays() -> None:
    rng = np.random.default_rng(2)
    state = rng.bit_generator.state
    assert jitter_factor(None, rng, 0.5) == 1.0
    assert rng.bit_generator.state == state


def test_bad_jitter_is_refused() -> None:
    with pytest.raises(ValueError, match="log-normal"):
        check_jitter("lognormal", 0.1)
    with pytest.raises(ValueError, match=r"jitter_spread=1.5.*below 1 for uniform"):
        check_jitter("uniform", 1.5)
    with pytest.raises(ValueError, match=r"jitter_spread=-0\.1"):
        check_jitter("cauchy", -0.1)
