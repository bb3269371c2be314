"""Precisions: which are conjugate, how they are drawn, and moves that help them mix."""
