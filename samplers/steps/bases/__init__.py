"""What step methods have in common."""
