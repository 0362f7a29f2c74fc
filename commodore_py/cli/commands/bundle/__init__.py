"""`commodore bundle …`."""
