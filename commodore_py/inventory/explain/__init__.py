"""Where values come from and what a line of a class file affects."""
