"""Real servers on the loopback interface, which also fail the way real ones do."""
