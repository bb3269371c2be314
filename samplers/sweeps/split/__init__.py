"""Trajectories that move weights and log precisions in turn (Choo 2000, chapter 4)."""
