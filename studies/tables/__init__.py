"""Tables of data: where they come from, checks, encoding, and predictions of their rows."""
