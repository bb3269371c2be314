"""Replicas at several temperatures, which change places, and their ladders."""
