"""Minimisation and cooling."""
