"""Step sizes: from curvature, learnt in warm-up, jittered, falling; and metrics."""
