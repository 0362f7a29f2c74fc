"""Kapitan itself: the reference engine, and its input types beside ours."""
