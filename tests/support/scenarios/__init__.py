"""Working directories and repositories, each for one kind of test."""
