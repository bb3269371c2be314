"""How probable each model of a comparison is by its evidence."""
