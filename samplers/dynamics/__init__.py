"""Trajectories of Hamiltonian and stochastic dynamics, and what is accepted of them."""
