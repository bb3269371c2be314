"""One lock for all that compiles graphs of PyTensor or runs them in Python."""

from threading import RLock

COMPILING = RLock()
"""PyTensor changes global settings while it compiles, and operations keep values while they run."""
