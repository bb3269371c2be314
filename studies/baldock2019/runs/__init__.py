"""What runs: chains through temperatures, minimised networks, replica exchange, bridges."""
