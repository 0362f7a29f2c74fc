"""What is measured: a command, and what is done before each of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_LOCAL = ("--local", "--no-fetch-dependencies")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A compile, or another command."""

    name: str
    about: str
    options: tuple[str, ...] = ()
    before: Literal["", "empty", "push", "edit", "restore"] = ""
    """Empty everything; or make an edit, pushed or in the working directory; or be a CI job:
    empty the working directory and restore the user's caches."""
    edit: str = ""
    like: str = ""
    """Costs Commodore the same as that one: it has no incremental mode."""
    bytes_compared: bool = True


HELP = "help"

SCENARIOS = (
    Scenario(HELP, "`--help`", bytes_compared=False),
    Scenario("cold", "empty working directory and user caches", before="empty"),
    Scenario("warm", "nothing changed", like="cold"),
    Scenario("push", "one component edited and pushed", before="push", edit="jsonnet", like="warm"),
    Scenario("ci", "CI: empty working directory, caches restored", before="restore", like="cold"),
    Scenario("local", "`--local -F`, nothing changed", _LOCAL, like="warm"),
    Scenario("edit", "`--local -F`, one component edited", _LOCAL, "edit", "jsonnet", "local"),
)

FLOORS = {
    ("M-http", "cold"): (8, 6),
    ("M-http", "warm"): (30, 15),
    ("M-http", "push"): (20, 12),
    ("M-http", "ci"): (12, 8),
    ("M-http", "local"): (60, 50),
    ("L", "cold"): (30, 25),
}
"""How many times less CPU and wall time than Commodore's."""
