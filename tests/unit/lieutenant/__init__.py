"""What is known about clusters."""
