"""How a fitted network depends on each column of a table."""
