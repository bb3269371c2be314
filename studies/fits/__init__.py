"""Fits: how they are made, kept whole in a folder, and gone on with."""
