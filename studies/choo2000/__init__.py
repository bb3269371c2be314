"""Choo (2000), Learning hyperparameters for neural network models using Hamiltonian dynamics."""
