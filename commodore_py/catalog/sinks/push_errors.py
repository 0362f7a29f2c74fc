"""Why a push failed, and what to do about it (pure)."""

from __future__ import annotations

import re

from commodore_py.adapters.masking import without_secrets
from commodore_py.errors import CommodoreError

from .base import Overtaken

_REFUSED = re.compile(r"^ ! (\[[^\]]+\]).* -> \S+(?: (\(.*\)))?$", re.MULTILINE)
_SERVER_MESSAGE = re.compile(r"^remote: (.*\S)\s*$", re.MULTILINE)
# The last two: two pushes at the same moment, of which the server takes one.
_OVERTAKEN = ("fetch first", "non-fast-forward", "stale info", "cannot lock ref", "incorrect old")
_LOST_RACE = re.compile(r"failed to update ref|reference already exists")
# What Git or the server reports, and what to do about it; the first match is used.
_REMEDIES = (
    (
        r"protected branch|GH006|GH013|not allowed to (?:force )?push|rule violations",
        "branch {branch} is protected on the server: let this account push to it",
    ),
    (
        r"currently checked out",
        "the remote is not a bare repository, and that branch is checked out there: make it bare",
    ),
    (r"hook declined", "a hook of the server rejects this push to {branch}"),
    (r"^ ! \[", "the server rejects this push: see its rules for the branch"),
    (
        (
            r"Permission denied|Authentication failed|could not read (?:Username|Password)"
            r"|returned error: 40[13]|access denied|denied to|read.only"
        ),
        "authentication failed: check the key or the token for {pushed_to}",
    ),
    (
        r"does not appear to be a git repository|not found|does not exist",
        "there is no repository to push to at {pushed_to}: create it, or correct the URL",
    ),
    (r"", "check the network and your access to {pushed_to}"),
)


def push_failed(
    stderr: str, *, url: str, pushed_to: str, branch: str, kept_in: str
) -> CommodoreError:
    """The output of Git and the server as one error."""
    refused = _REFUSED.search(stderr)
    reason = " ".join(filter(None, refused.groups())) if refused else stderr.strip()
    reported = _SERVER_MESSAGE.findall(stderr)
    overtaken = _is_overtaken(reason, reported)
    kind = Overtaken if overtaken else CommodoreError
    shown = without_secrets(pushed_to)
    remedy = (
        "the branch was pushed to in the meantime: compile again"
        if overtaken
        else _remedy(stderr, pushed_to=shown, branch=branch)
    )
    error = kind(
        f"cannot push the catalog to branch {branch}: {without_secrets(reason)}",
        where=without_secrets(url),
        hint=f"{remedy}; the commit is kept in {kept_in}",
    )
    if reported:
        error.add_note("the server reported: " + without_secrets(" / ".join(reported)))
    return error


def _is_overtaken(reason: str, reported: list[str]) -> bool:
    if any(word in reason for word in _OVERTAKEN):
        return True
    return bool(_LOST_RACE.search(reason)) and any("cannot lock ref" in line for line in reported)


def _remedy(stderr: str, **words: str) -> str:
    flags = re.IGNORECASE | re.MULTILINE
    found = next(remedy for sign, remedy in _REMEDIES if re.search(sign, stderr, flags))
    return found.format(**words)
