"""Lau (2018) again: dynamic Hamiltonian Monte Carlo, priors and model choice on digits.

Run it from a terminal: ``pymc-bnn study lau2018 --budget smoke``.
"""
