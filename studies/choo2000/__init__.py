"""Choo (2000), Learning hyperparameters for neural network models using HMC: chapter 5 again.

Run it from a terminal: ``pymc-bnn study choo2000 --budget smoke``.
"""
