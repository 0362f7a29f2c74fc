"""Find out which dependencies a cluster needs, and fetch them into the working directory."""
