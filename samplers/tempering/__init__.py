"""Temperature put to use: replicas that change places, ladders, evidence."""
