"""The catalog's checkout and its remote."""
