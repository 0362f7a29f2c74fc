"""Has it changed? Questions, records of answers, cached results, and the check for "up to date"."""
