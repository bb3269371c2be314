"""Graphs of energies as instructions for one compiled machine, which serves all models."""
