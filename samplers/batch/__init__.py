"""Many chains of a small network at once, with one number of each of eight in a register."""
