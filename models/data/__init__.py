"""Inputs and targets: how they are read, paired, checked and renewed."""
