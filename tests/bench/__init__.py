"""Time and memory, side by side with the peer."""
