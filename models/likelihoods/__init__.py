"""How targets are distributed around the network's outputs, one likelihood per file.

A likelihood declares the observed variable of the model, knows the same density on NumPy arrays of
posterior draws, for predictions and scores, and may have its energy as compiled code.
:data:`LIKELIHOODS` registers them.
"""

from .base import Draws, Likelihood
from .finding import LIKELIHOODS, likelihood

__all__ = ["LIKELIHOODS", "Draws", "Likelihood", "likelihood"]
