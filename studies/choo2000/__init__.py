"""Choo (2000), Learning hyperparameters for neural network models using Hamiltonian dynamics: its study again.

Run it from a terminal: ``pymc-bnn study choo2000 --budget smoke``.
"""
