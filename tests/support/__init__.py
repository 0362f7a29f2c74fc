"""What tests build and start, and what they compare with."""
