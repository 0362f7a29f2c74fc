"""The settings of the daemon, and the file of the tokens of its callers."""

from __future__ import annotations

import os
import re
import secrets
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.reading import bytes_of
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import Config

WEBHOOK = "webhook"
"""The name of the secret of webhooks; it is no token."""
RECONCILER = "reconcile"
"""The caller of pushes by the reconciler: no token has this name."""
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
_LINE = rf"(?P<name>{_NAME}) +(?P<token>\S{{16,}})(?P<read_only> +read-only)?"
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and whether its owner may change anything."""

    value: str
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the command line."""

    config: Config
    tokens: Mapping[str, Token] = field(repr=False)
    origins: frozenset[str]
    workers: int
    reconciles: bool = False
    poll: float = 60.0
    hook_secret: str = field(default="", repr=False)


def read_tokens(file: Path) -> tuple[dict[str, Token], str]:
    """The tokens of a file by their names; a missing file is made with one, which is returned."""
    try:
        status = file.stat()
        text = bytes_of(str(file), limit=_LARGEST).decode(errors="replace")
    except FileNotFoundError:
        return _first_token(file)
    except OSError as error:
        raise _unusable(file, f"cannot be read: {error.strerror}") from error
    # Secrets that are mounted into a container belong to root, and others read them.
    is_mounted = status.st_uid == 0 != os.geteuid() and not status.st_mode & 0o022
    is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    if not (is_mounted or is_private):
        raise _unusable(file, "may be read or written by others", hint=f"chmod 600 {file}")
    tokens: dict[str, Token] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = re.fullmatch(_LINE, line.strip())
        if fields is None or fields["name"] in (*tokens, RECONCILER):
            raise _unusable(
                file,
                f"has an invalid line {number}",
                hint="lines are NAME TOKEN, or NAME TOKEN read-only; each name once, and none is"
                f" {RECONCILER}; a token has at least 16 characters",
            )
        tokens[fields["name"]] = Token(fields["token"], bool(fields["read_only"]))
    if not tokens:
        raise _unusable(file, "has no token", hint="remove it, and one is made")
    REDACTOR.learn(*(token.value for token in tokens.values()))
    return tokens, ""


def _first_token(file: Path) -> tuple[dict[str, Token], str]:
    token = secrets.token_urlsafe(24)
    name = os.environ.get("USER", "")
    name = name if re.fullmatch(_NAME, name) else "admin"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as stream:  # noqa: PTH123 - a descriptor
            stream.write(f"{name} {token}\n")
        REDACTOR.learn(token)
    except OSError as error:
        raise _unusable(file, f"cannot be written: {error.strerror}") from error
    return {name: Token(token)}, token


def _unusable(file: Path, why: str, *, hint: str = "") -> CommodoreError:
    return CommodoreError(f"the token file {why}", where=str(file), hint=hint)
