"""Many clusters in one run."""
