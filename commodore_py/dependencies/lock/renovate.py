"""The hints by which a bot finds what it may propose newer versions of (pure)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .document import Path

RENOVATE = "# renovate:"

PATTERN = (
    r"# renovate: (?<datasource>\S+) (?<depName>\S+)(?: (?<registryUrl>\S+))?\n"
    r'version = "(?<currentValue>\S+)"'
    r'(?:\n(?:commit|digest) = "(?<currentDigest>\w[^"]+))?'
)
"""The match string of the custom manager; without look-ahead, as Renovate uses RE2."""


def hint_of_branch(url: str) -> str:
    """The hint for what follows a branch."""
    return _plain(f"git-refs {url}", words=2)


def hint_of_download(path: Path) -> str:
    """The hint for a chart without a version or a tag of an artifact; empty for others."""
    kind, name = path
    place, _, requested = name.rpartition("@")
    if kind == "artifact":
        return _plain(f"docker {name.rpartition(':')[0]}", words=2)
    if kind != "chart" or requested:
        return ""
    repository, _, chart = place.rpartition("/")
    if repository.startswith("oci://"):
        return _plain(f"docker {place.removeprefix('oci://')}", words=2)
    return _plain(f"helm {chart} {repository}", words=3)


def _plain(hint: str, *, words: int) -> str:
    return hint if hint.isprintable() and len(hint.split()) == words else ""
