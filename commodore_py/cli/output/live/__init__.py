"""Results of `commodore live …`."""
