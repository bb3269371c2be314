"""What all reproductions of papers share: units of work, their store, and their names."""
