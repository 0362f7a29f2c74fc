"""Fuzzers: generated and damaged content for every door; only success or an error may come out."""
