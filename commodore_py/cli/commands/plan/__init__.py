"""`commodore plan …`."""
