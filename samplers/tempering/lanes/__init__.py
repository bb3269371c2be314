"""Replicas of one ladder side by side in the lanes of registers."""
