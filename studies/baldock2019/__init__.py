"""Baldock & Marzari (2019): networks at finite temperature, and the evidence of two of them."""
