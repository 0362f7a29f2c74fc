"""Inputs of a lock by the names that users give them (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.dependencies.downloads.chart_versions import is_exact
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import UsageError
from commodore_py.model.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.dependencies.lock.document import Block, Lock, Path

_TAG = re.compile(r"v?\d+(?:[.\-_]\w+)*")
# Of components and libraries, in locks of components and packages by themselves.
_WITH_VERSION = ("chart", "repository", "base", "component", "instance", "library")
_NOT_INPUTS = ("cluster", "bundle", "tool")


def name_of(path: Path) -> str:
    """The name of an input, which is never ambiguous."""
    return "/".join(path)


def inputs_of(lock: Lock) -> dict[Path, Block]:
    """The blocks that are inputs."""
    return {path: block for path, block in lock.blocks.items() if path[0] not in _NOT_INPUTS}


def find_inputs(lock: Lock, names: Iterable[str], file: str) -> tuple[Path, ...]:
    """The inputs of these names; `argocd`, or `component/argocd` where that is ambiguous."""
    return tuple(_find(lock, name, file) for name in dict.fromkeys(names))


def _find(lock: Lock, name: str, file: str) -> Path:
    inputs = inputs_of(lock)
    matches = [path for path in inputs if name == name_of(path)]
    matches = matches or [path for path in inputs if name in _short_names(path)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(
            f"{name} is ambiguous: {', '.join(sorted(map(name_of, matches)))}",
            where=file,
            hint="use one of these names",
        )
    names = {short: path for path in inputs for short in (*_short_names(path), name_of(path))}
    raise UsageError(
        f"{name} is not locked",
        where=file,
        hint=f"{did_you_mean(name, names)} The file has a block for each input".lstrip(),
    )


def _short_names(path: Path) -> set[str]:
    if len(path) == 1:
        return {path[0]}
    place = path[1].rpartition("@")[0] if path[0] in _WITH_VERSION else path[1]
    return {path[1], place or path[1], (place or path[1]).rstrip("/").rpartition("/")[2]}


def is_floating(path: Path, block: Block) -> bool:
    """Return whether an update without names resolves it again, as it may move by itself."""
    match path[0]:
        case "facts" | "dynamic_facts" | "file":
            return True
        case "config" | "package" | "component" | "instance" | "library":
            requested = block.text("requested")
            fixed = is_commit(requested) or (_TAG.fullmatch(requested) and not block.hint)
            return block.values.get("pinned") is not False and not fixed
        case "chart":
            return not is_exact(path[1].rpartition("@")[2])
        case "repository" | "base":
            requested = path[1].rpartition("@")[2]
            return not (is_commit(requested) or _TAG.fullmatch(requested))
        case "artifact":
            return "@" not in path[1]
    return False
