"""What is measured: a command, and what is done before each of its runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

_LOCAL = ("--local", "--no-fetch-dependencies")
_LOCK = ("--lock", "../bench.lock")


@dataclass(frozen=True, slots=True)
class Scenario:
    """A compile, or another command."""

    name: str
    about: str
    options: tuple[str, ...] = ()
    before: Literal["", "empty", "push", "edit", "restore"] = ""
    """Empty everything; or make an edit, pushed or in the working directory; or be a CI job: push
    the edit if there is one, empty the working directory and restore the user's caches."""
    edit: str = ""
    like: str = ""
    """Costs the peer the same as that one: it has no incremental mode."""
    bytes_compared: bool = True
    one_core: bool = False
    ours_only: bool = False
    """The peer has no such option: it is taken to cost what the likes of it do."""


HELP = "help"
COMPONENT_TEST = "component test"

SCENARIOS = (
    Scenario(HELP, "`--help`", bytes_compared=False),
    Scenario("cold", "empty working folder and user caches", before="empty"),
    Scenario("warm", "nothing changed", like="cold"),
    Scenario("locked", "`--lock`, nothing changed", _LOCK, like="warm", ours_only=True),
    Scenario(
        "push a", "one component's jsonnet, pushed", before="push", edit="jsonnet", like="warm"
    ),
    Scenario("ci", "CI: empty working folder, caches restored", before="restore", like="cold"),
    Scenario("ci a", "CI, one component's jsonnet, pushed", (), "restore", "jsonnet", like="ci"),
    Scenario("ci b", "CI, a value of one instance, pushed", (), "restore", "value of one", "ci"),
    Scenario("cold, 1 core", "cold on one core", before="empty", like="cold", one_core=True),
    Scenario("ci, 1 core", "CI on one core", before="restore", like="cold", one_core=True),
    Scenario("local", "`--local -F`, nothing changed", _LOCAL, like="warm"),
    Scenario(
        "edit a", "`--local -F`, one component's jsonnet edited", _LOCAL, "edit", "jsonnet", "local"
    ),
    Scenario(
        "edit b", "`--local -F`, a value of one instance", _LOCAL, "edit", "value of one", "local"
    ),
    Scenario(
        "edit c", "`--local -F`, a value of all instances", _LOCAL, "edit", "value of all", "local"
    ),
    Scenario(
        "dry run a",
        "`--local -F --dry-run`, one component's jsonnet edited",
        (*_LOCAL, "--dry-run"),
        "edit",
        "jsonnet",
        "edit a",
        bytes_compared=False,
        ours_only=True,
    ),
    Scenario(
        "dry run b",
        "`--local -F --dry-run`, a value of one instance",
        (*_LOCAL, "--dry-run"),
        "edit",
        "value of one",
        "edit b",
        bytes_compared=False,
        ours_only=True,
    ),
    Scenario(COMPONENT_TEST, "6 test cases of a component", bytes_compared=False),
)

# How many times faster, CPU and wall each, or smaller we want to be; edits that all use have none.
AIMS = {
    ("M", "cold"): 12,
    ("M", "ci"): 40,
    ("M", "ci a"): 25,
    ("M", "ci b"): 25,
    ("M", "warm"): 100,
    ("M", "local"): 200,
    ("M", "push a"): 60,
    ("M", "edit a"): 60,
    ("M", "edit b"): 60,
    ("L", "cold"): 50,
    ("L", "warm"): 500,
    ("L", "local"): 500,
    ("L", "push a"): 200,
    ("L", "edit a"): 200,
    ("L", "edit b"): 200,
    ("", HELP): 10,
}
MEMORY_AIMS = {"M": 6, "L": 15}
