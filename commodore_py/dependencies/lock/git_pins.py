"""Which block answers a request for a Git repository, and with which commit (pure)."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.dependency import DependencySpec, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .document import Block, Lock, Path

GIT_KINDS = ("config", "package", "component", "instance", "library")


def path_of(
    spec: DependencySpec,
    specs: Iterable[DependencySpec],
    name_of: Callable[[str, str], str] = lambda name, _: name,
) -> Path | None:
    """The block of a request; None for an instance that is like its component.

    `name_of` makes its name of that of the dependency and of the requested version.
    """
    if spec.kind in (Kind.GLOBAL, Kind.TENANT):
        return "config", spec.kind.name.lower()
    if spec.kind is Kind.INSTANCE:
        components = (other for other in specs if other.kind is Kind.COMPONENT)
        component = next((other for other in components if other.name == spec.component), None)
        if component is not None and component[2:5] == spec[2:5]:  # url, version, path
            return None
    return spec.kind.name.lower(), name_of(spec.name, spec.version or "")


def request_of(spec: DependencySpec) -> tuple[str, str]:
    """The key of a request: its repository, however it is spelled, and the version."""
    return git_urls.dependency_key(spec.url), spec.version or ""


def request_in(block: Block) -> tuple[str, str] | None:
    """The request that a block answers; None if its URL is not valid."""
    try:
        return git_urls.dependency_key(block.text("url")), block.text("requested")
    except CommodoreError:
        return None


def _requests(lock: Lock) -> Iterator[tuple[Path, Block, tuple[str, str]]]:
    """The blocks of repositories, each with the request that it answers."""
    for path, block in lock.blocks.items():
        request = request_in(block) if path[0] in GIT_KINDS else None
        if request is not None:
            yield path, block, request


def commit_in(block: Block) -> str:
    """The commit of a pin; empty if it has none, or not the one that is requested."""
    commit, requested = block.text("commit"), block.text("requested")
    if not is_commit(commit) or (is_commit(requested) and requested != commit):
        return ""
    return commit


def pins_by_request(lock: Lock, renewed: Iterable[Path]) -> Mapping[tuple[str, str], Block]:
    """The pins of repositories by their requests: equal requests have equal pins."""
    left_out = set(renewed)
    pins: dict[tuple[str, str], Block] = {}
    for path, block, request in _requests(lock):
        if path not in left_out and commit_in(block):
            pins.setdefault(request, block)
    return pins


def with_equal_requests(lock: Lock, paths: Iterable[Path]) -> frozenset[Path]:
    """These blocks, and those with the same requests: they move together."""
    chosen = frozenset(paths)
    requests = {path: request for path, _, request in _requests(lock)}
    moved = {requests[path] for path in chosen if path in requests}
    return chosen.union(path for path, request in requests.items() if request in moved)


def refuse_contradictions(lock: Lock, name: str) -> None:
    """Refuse equal requests with different pins, as after a merge."""
    first: dict[tuple[str, str], tuple[Path, Block]] = {}
    errors = []
    for path, block, request in sorted(_requests(lock), key=itemgetter(0)):
        if not block.text("commit"):
            continue
        other, first_block = first.setdefault(request, (path, block))
        if first_block.text("commit") != block.text("commit"):
            errors.append(
                CommodoreError(
                    f"{' '.join(path)} and {' '.join(other)} request the same version of one"
                    " repository, and have different commits",
                    where=f"{name}:{block.line}\n{name}:{first_block.line}",
                    hint=f"commodore lock update {'/'.join(path)} --lock {name}",
                )
            )
    raise_collected(errors, "the lock file contradicts itself")
