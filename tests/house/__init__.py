"""The house keeps its own rules: layers, tables, names, and what the tests cover."""
