"""Has it changed? Questions, records of answers, and cached results."""
