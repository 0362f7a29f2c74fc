"""The command line: click, prompts and printing are here only."""

from .shell import run

__all__ = ["run"]
