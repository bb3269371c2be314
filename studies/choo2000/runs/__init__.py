"""What the study runs."""
