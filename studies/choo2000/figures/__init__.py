"""The figures of the thesis, and more."""
