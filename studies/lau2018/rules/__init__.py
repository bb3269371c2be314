"""Rules that verdicts of the study come from."""
