"""Sequences of what people and remotes do between compiles: nobody's work is lost."""
