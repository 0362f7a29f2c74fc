"""Our engines against those that they stand in for, on generated input."""
