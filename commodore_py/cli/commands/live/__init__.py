"""`commodore live …`."""
