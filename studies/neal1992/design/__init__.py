"""What is declared: networks, schedules, lengths, and what the report printed."""
