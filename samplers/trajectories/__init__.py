"""How step sizes and lengths of trajectories are chosen (Neal 1995, 3.3)."""
