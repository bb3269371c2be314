"""Graphs of blocks with kernels of ours in them: parts of vectors, networks of mapped weights."""
