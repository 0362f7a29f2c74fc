"""Other things a user can do."""
