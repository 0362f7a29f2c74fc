"""The user's own settings of Git, asked once: they decide what may be done without the program."""

from __future__ import annotations

import functools
import os
import re
import time
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters.process import ProgramFailed

from . import safe
from .program import git

if TYPE_CHECKING:
    from pathlib import Path

# They are looked up once, not by every client of remotes: a process takes milliseconds.
_DEPEND_ON = ("GIT_", "HOME", "XDG_CONFIG_HOME", "EMAIL", "TZ", "LOGNAME", "USER", "PATH")
_one_asks = Lock()
_RULES = re.compile(r"(?m)^(?:(?:url|protocol|transfer|uploadpack)\.|fetch\.fsckobjects(?:=|$))")
# Settings that may have Git write other files, or another index.
_OF_CHECKOUTS = re.compile(
    r"(?m)^(?:core|index|feature|checkout|extensions|includeif|attr|sparse|branch)\..*$"
)
_HARMLESS = re.compile(
    r"core\.(?:editor|pager|askpass|sshcommand|excludesfile|abbrev|quotepath|hookspath|fsmonitor"
    r"|repositoryformatversion=0$|filemode=true$|bare=|logallrefupdates=true$"
    r"|autocrlf=(?:input|false)$)"
)
# Others are of CI systems, or change no checkout.
_VARIABLES = re.compile(r"GIT_(?:INDEX_V|ATTR|REPLACE|SHALLOW|GRAFT|TEST|REFLOG|INTERNAL)")
_COMMITTER = re.compile(r"(?m)^GIT_COMMITTER_IDENT=(.*) (\d+) ([+-]\d{4})$")


class UserSettings(NamedTuple):
    """What the user's settings say, and those of the system."""

    change_remotes: bool
    """Whether they change what an address means, or what is got from there."""
    are_plain: bool
    """Whether checkouts are as without any settings, and a committer is known."""
    who: str = ""
    zone: str = ""
    date: str = ""
    """When commits are dated, if that is set."""

    def committer(self) -> str:
        """The committer, now, as logs of refs have it."""
        return f"{self.who} {self.date or int(time.time())} {self.zone}"


def user_settings(directory: Path) -> UserSettings:
    """The settings that hold in a folder, but for those of a repository that it is in."""
    variables = (one for one in os.environ.items() if one[0].startswith(_DEPEND_ON))
    with _one_asks:
        return ask(directory, tuple(sorted(variables)))


def has_rules_for_remotes(directory: Path) -> bool:
    """Whether the user's settings change what an address means, or what is got from there."""
    allowed = os.environ.get("GIT_ALLOW_PROTOCOL")
    if allowed is not None and "file" not in allowed.split(":"):
        return True
    return user_settings(directory).change_remotes


@functools.lru_cache
def ask(directory: Path, variables: tuple[tuple[str, str], ...]) -> UserSettings:
    """Remembered for as long as variables that lead to them stay."""
    while not directory.is_dir():  # it is made later
        directory = directory.parent
    try:
        # Clones in a working directory that is itself one have nothing of its settings.
        env = {**safe.without_ours(), "GIT_DIR": os.devnull}
        listed = git(directory, "var", "-l", env=env)
    except ProgramFailed:
        return UserSettings(change_remotes=True, are_plain=False)
    special = [one for one in _OF_CHECKOUTS.findall(listed) if not _HARMLESS.match(one)]
    special += [name for name, _ in variables if _VARIABLES.match(name)]
    special += [file for file in _attributes_files() if os.path.exists(file)]
    who, date, zone = (_COMMITTER.findall(listed) or [("", "", "")])[-1]
    return UserSettings(
        change_remotes=_RULES.search(listed) is not None,
        are_plain=bool(who) and not special,
        who=who,
        zone=zone,
        date=date if "GIT_COMMITTER_DATE" in os.environ else "",
    )


def _attributes_files() -> list[str]:
    """Where attributes for all repositories would be."""
    known = [file for file in safe.settings_files() if file.endswith("attributes")]
    # Git may be installed outside of the system's folders.
    programs = [file for one in os.get_exec_path() if os.path.exists(file := f"{one}/git")]
    beside = [os.path.dirname(os.path.dirname(os.path.realpath(file))) for file in programs]
    return [*known, *(f"{folder}/etc/gitattributes" for folder in beside)]
