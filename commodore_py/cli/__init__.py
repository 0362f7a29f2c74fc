"""The command line: click, prompts, printing and exit codes live here only."""

from .shell import run

__all__ = ["run"]
