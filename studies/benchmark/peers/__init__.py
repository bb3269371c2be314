"""Ways to take a leapfrog step: ours and others'."""
