"""Which model predicts best, by how much, and whether to believe it."""
