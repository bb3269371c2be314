"""Graphs of energies as instructions for one compiled machine, which serves all models."""

from . import arrays, composed, elementwise, indices, layers  # noqa: F401  # tell how to translate
