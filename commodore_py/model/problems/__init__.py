"""The kinds of problems, and which of them a run accepts."""
