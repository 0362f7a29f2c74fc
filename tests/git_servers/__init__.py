"""Real Git servers on the loopback interface, each with what real ones do at times."""
