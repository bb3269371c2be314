"""Neal (1995): choosing trajectories, and networks of any width, on the robot arm and others."""
