"""What is wrong with draws, and what to do about it."""
