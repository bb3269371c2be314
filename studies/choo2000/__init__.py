"""Choo (2000) again: learning hyperparameters of networks using Hamiltonian dynamics.

Run it from a terminal: ``pymc-bnn study choo2000 --budget smoke``.
"""
