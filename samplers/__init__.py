"""How posteriors are explored: step methods for any PyMC model, made for neural networks."""

from .conjugacy import NotConjugateError
from .gibbs_precision import GibbsPrecision
from .static_hmc import StaticHMC

__all__ = ["GibbsPrecision", "NotConjugateError", "StaticHMC"]
