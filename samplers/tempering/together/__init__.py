"""Replicas of one ladder as one batch of matrix products, in JAX and so on what it runs on."""
