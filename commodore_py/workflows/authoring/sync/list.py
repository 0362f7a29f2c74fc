"""The YAML list of repositories to update, read and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from commodore_py.adapters import git_urls
from commodore_py.adapters import yaml as yaml_door
from commodore_py.adapters.http.address import split_url
from commodore_py.adapters.http.github import PUBLIC
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.reading import content_of
from commodore_py.adapters.yaml.error import YamlError
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

_ON_GITHUB = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_SSH = re.compile(r"[\w.-]+@[\w.-]+:[^:]+")
_EXPECTED = "expected a list of owner/repository on GitHub, or of URLs of other Git repositories"


@dataclass(frozen=True, slots=True)
class Entry:
    """A repository as it is listed."""

    text: str
    github: str = ""
    """`owner/repository`, if it is at GitHub."""
    url: str = ""
    """Where it is otherwise."""

    def __str__(self) -> str:
        return without_secrets(self.text)

    def dependency(self, prefix: str) -> str:
        """The name of the component or package."""
        name = (self.github or self.url).rstrip("/").rpartition("/")[2].rpartition(":")[2]
        return name.removesuffix(".git").replace(prefix, "", 1)


def read_list(path: Path, api_url: str, wanted: re.Pattern[str] | None) -> tuple[Entry, ...]:
    """The entries of a list that match, each once; on GitHub by the URL of its API."""
    text = content_of(path)
    try:
        content = yaml_door.load(text, name=str(path))
    except YamlError as error:
        error.hint = _EXPECTED
        raise
    if not isinstance(content, list):
        kind = {dict: "a mapping", str: "a text", type(None): "empty"}.get(type(content), "a value")
        raise CommodoreError(f"the list is {kind}; {_EXPECTED}", where=f"{path}:1")
    found, wrong = [], []
    for number, value in enumerate(content):
        entry = _entry(
            value,
            "github.com" if api_url.rstrip("/") == PUBLIC else split_url(api_url).hostname or "",
        )
        if entry is None:
            wrong.append(f"{path}:{yaml_door.line_at(text, (0, number))}: {_shown(value)}")
        elif wanted is None or wanted.search(entry.text):
            found.append(entry)
    if wrong:
        raise CommodoreError(
            f"invalid entries in the list: {len(wrong)}; nothing was changed",
            where="\n".join(wrong),
            hint=f"{_EXPECTED}, such as acme/component-one",
        )
    return tuple({entry.github or entry.url: entry for entry in found}.values())


def _entry(value: object, github: str) -> Entry | None:
    if not isinstance(value, str):
        return None
    if _ON_GITHUB.fullmatch(value):
        return Entry(value, github=value)
    if "://" not in value and not _SSH.fullmatch(value) and not value.startswith("/"):
        return None
    try:
        parts = urlsplit(git_urls.normalise(value))
    except (CommodoreError, ValueError):
        return None
    path = parts.path.strip("/").removesuffix(".git")
    if parts.hostname == github and _ON_GITHUB.fullmatch(path):
        return Entry(value, github=path)
    return Entry(value, url=value) if path else None


def _shown(value: object) -> str:
    return without_secrets(value) if isinstance(value, str) else repr(value)
