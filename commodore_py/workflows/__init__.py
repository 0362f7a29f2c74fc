"""Other things a user can do, one file each, built from the pipeline and its stages."""
