"""What the study's page says of its tables, and by which rules."""
