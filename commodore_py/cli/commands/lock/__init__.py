"""`commodore lock …`."""
