"""Graphs of blocks with operations of ours: parts of vectors, mapped weights, slopes left out."""
