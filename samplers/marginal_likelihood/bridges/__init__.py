"""The evidence by bridges from a quadratic that is fitted around a minimum."""
