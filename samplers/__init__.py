"""How posteriors are explored: step methods for any PyMC model, made for neural networks."""

from .conjugacy import NotConjugateError
from .gibbs_hmc import GibbsHMC
from .gibbs_precision import GibbsPrecision
from .nuts import NUTS
from .sampling import recommended_method, recommended_steps, sample
from .split_leapfrog import SplitLeapfrog
from .static_hmc import StaticHMC
from .xhmc import XHMC

__all__ = [
    "NUTS",
    "XHMC",
    "GibbsHMC",
    "GibbsPrecision",
    "NotConjugateError",
    "SplitLeapfrog",
    "StaticHMC",
    "recommended_method",
    "recommended_steps",
    "sample",
]
