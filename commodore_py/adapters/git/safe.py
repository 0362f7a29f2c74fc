"""The one place for settings of every Git process: nothing that content brought runs a program.

The user's own settings stay in force: credential helpers, ssh, proxies, `url.*.insteadOf`.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path
from threading import Lock

from commodore_py.adapters import git_urls
from commodore_py.adapters.process import ProgramFailed, run

_SETTINGS = (
    ("core.hooksPath", os.devnull),
    # Empty, as old versions of Git take any other word for a program.
    ("core.fsmonitor", ""),
    ("protocol.ext.allow", "never"),
    ("protocol.fd.allow", "never"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("status.submoduleSummary", "false"),
    ("safe.bareRepository", "all"),  # ours are named by their directory
    # Bytes of checkouts and of the catalog do not depend on the user's settings.
    ("core.autocrlf", "false"),
    ("core.eol", "lf"),
    ("core.safecrlf", "false"),
    # Signatures start gpg, which an automated run cannot answer.
    ("log.showSignature", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("push.gpgSign", "false"),
)
# Also where only the repository's own settings define it.
_FILTERS = ("lfs",)
_TEMPLATE = "init.templatedir"
_FILTER_KEYS = (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false"))

# A hook or an alias may have set these for its own repository; ours are named by their folder.
_FOREIGN = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_ATTR_SOURCE",
    # They change what our paths and patterns mean.
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)
_NOT_INHERITED: dict[str, str | None] = {**dict.fromkeys(_FOREIGN), "LC_ALL": "C"}
_RUNS_PROGRAMS = ("ext", "fd")

_NO_PROGRAMS = ("--no-ext-diff", "--no-textconv")
# Git would look into repositories inside of a checkout, with settings that these bring.
_NOT_INSIDE = "--ignore-submodules=dirty"
_OPTIONS: dict[str, tuple[str, ...]] = {
    "diff": (*_NO_PROGRAMS, _NOT_INSIDE),
    "diff-files": (*_NO_PROGRAMS, _NOT_INSIDE),
    "diff-index": (*_NO_PROGRAMS, _NOT_INSIDE),
    "diff-tree": _NO_PROGRAMS,
    "log": _NO_PROGRAMS,
    "show": _NO_PROGRAMS,
    "status": (_NOT_INSIDE,),
}
_WITH_VALUE = ("-c", "-C")  # before Git's own verb

_DEPENDS_ON = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL")
_asking = Lock()  # threads would ask at the same time


def environment(*, credentials: bool = True) -> dict[str, str | None]:
    """Changes of the variables for a Git process; None removes one."""
    changes: dict[str, str | None] = {**_NOT_INHERITED}
    with _asking:
        settings = _settings(tuple(map(os.environ.get, _DEPENDS_ON)))
    if credentials:
        changes |= git_urls.credential_variables()
        settings = (*settings, *git_urls.credential_settings())
    # After those that the user has there, as the last one is used.
    first = _count(os.environ.get("GIT_CONFIG_COUNT", ""))
    changes["GIT_CONFIG_COUNT"] = str(first + len(settings))
    for number, (key, value) in enumerate(settings, first):
        changes[f"GIT_CONFIG_KEY_{number}"] = key
        changes[f"GIT_CONFIG_VALUE_{number}"] = value
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL")
    if allowed is not None:  # it overrules all settings
        kept = (part for part in allowed.split(":") if part not in _RUNS_PROGRAMS)
        changes["GIT_ALLOW_PROTOCOL"] = ":".join(kept)
    return changes


def without_ours() -> dict[str, str]:
    """Changes of `environment()` with which Git reads the user's settings alone."""
    return {"GIT_CONFIG_COUNT": str(_count(os.environ.get("GIT_CONFIG_COUNT", "")))}


def with_options(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of Git with what a setting cannot say about its verb (pure)."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in _WITH_VALUE else 1
    more = _OPTIONS.get(arguments[at]) if at < len(arguments) else None
    return (*arguments[: at + 1], *more, *arguments[at + 1 :]) if more else arguments


@functools.lru_cache
def _settings(_depends_on: tuple[str | None, ...]) -> tuple[tuple[str, str], ...]:
    users = _users_settings()
    # Git's own template has samples only, which take as long to copy as a clone.
    template = () if _TEMPLATE in users else ((_TEMPLATE, ""),)
    of_user = (key.split(".", 1)[1].rpartition(".")[0] for key in users if key != _TEMPLATE)
    names = dict.fromkeys((*_FILTERS, *of_user))
    filters = ((f"filter.{name}.{key}", value) for name in names for key, value in _FILTER_KEYS)
    return (*_SETTINGS, *template, *filters)


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _users_settings() -> list[str]:
    """The user's settings of filters, and of the template of new repositories."""
    pattern = r"^(filter\.|init\.templatedir$)"
    try:
        command = ["git", "config", "--name-only", "-z", "--get-regexp", pattern]
        listing = run(command, cwd=Path("/"), env=_NOT_INHERITED)
    except ProgramFailed:
        return []  # none; or git is missing, as the next command reports
    return os.fsdecode(listing).split("\0")[:-1]
