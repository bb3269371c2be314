"""The evidence from draws at many temperatures, and which temperatures to draw at."""
