"""How targets are distributed around the network's outputs, one likelihood per file.

A likelihood declares the observed variable of the model, knows the same density on NumPy arrays of
posterior draws, for predictions and scores, and may have its energy as compiled code.
:data:`LIKELIHOODS` registers them.
"""

from .base import Draws, Likelihood
from .bernoulli import Bernoulli
from .categorical import Categorical
from .finding import LIKELIHOODS, likelihood
from .gaussian_noise import GaussianNoise, IntegratedNoise
from .heteroscedastic_noise import HeteroscedasticNoise
from .negative_binomial import NegativeBinomial
from .ordered import Ordered
from .poisson import Poisson
from .student_t_noise import StudentTNoise

__all__ = [
    "LIKELIHOODS",
    "Bernoulli",
    "Categorical",
    "Draws",
    "GaussianNoise",
    "HeteroscedasticNoise",
    "IntegratedNoise",
    "Likelihood",
    "NegativeBinomial",
    "Ordered",
    "Poisson",
    "StudentTNoise",
    "likelihood",
]
