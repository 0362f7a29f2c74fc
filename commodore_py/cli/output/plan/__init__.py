"""Results of `commodore plan …` and of what follows a plan."""
