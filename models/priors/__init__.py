"""Priors of groups of weights, one file each."""
