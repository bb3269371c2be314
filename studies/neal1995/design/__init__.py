"""What is declared: networks, settings, lengths."""
