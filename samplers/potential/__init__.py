"""Potential energies: priors, a network's likelihood as a fused kernel, any graph."""
