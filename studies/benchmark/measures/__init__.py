"""What the benchmark measures, each by itself."""
