"""Kernels in SIMD registers, and the disk cache of what is compiled from them."""
