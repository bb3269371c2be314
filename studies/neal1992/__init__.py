"""Neal (1992): hybrid Monte Carlo with simulated annealing on the robot arm."""
