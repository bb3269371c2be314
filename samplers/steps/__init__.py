"""PyMC step methods, one to a file, and what they have in common."""
