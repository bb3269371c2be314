"""What came out, as tables."""
