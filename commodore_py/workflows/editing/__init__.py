"""Edits of the hierarchy by a command: the layer, the bytes, the effect, and the way back."""
