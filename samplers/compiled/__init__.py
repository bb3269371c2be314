"""What compiles, what is remembered, and Ctrl-C in compiled code."""
