"""Trajectories that grow until a criterion ends them."""
