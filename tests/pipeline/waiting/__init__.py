"""Who is waited for, and for how long."""
