"""What the study declares: images, networks, how much to sample, and what the paper printed."""
