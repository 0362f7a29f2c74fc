"""The outside world, thin."""
