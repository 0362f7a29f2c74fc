"""Options, environment and the user's file, to one Config."""
