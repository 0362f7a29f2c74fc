"""Lock files: the inputs that a catalog was compiled from, and how later runs use the same."""
