"""Which problems count: what is ignored, what was known before, and what fails a run."""
