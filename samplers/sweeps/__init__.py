"""Whole iterations in compiled code."""
