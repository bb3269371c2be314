"""What simpler models predict, and whether a network is worth it."""
