"""What remotes had in a run, and whether they have the same now."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.refs import BRANCHES, TAGS, read_refs
from commodore_py.adapters.parallel import in_parallel
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.errors import CommodoreError
from commodore_py.model.dependency import CONFIGURATION
from commodore_py.model.remote_use import Locked, RemoteListed, VersionUsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.adapters.git.refs import RefValues
    from commodore_py.config import WorkPaths
    from commodore_py.dependencies.git.remotes import RemoteClient
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.stages import Sources
    from commodore_py.run_log import Events

_Answers: TypeAlias = "Mapping[str, RemoteListed]"

_PARALLEL = 8  # waiting for servers, not computing
_HEAD = "HEAD"


def remotes_of(
    paths: WorkPaths, sources: Sources, events: Events, *, local: bool
) -> list[dict[str, Any]] | None:
    """What to query before the next run, with what was found; None if that cannot be known."""
    answers = {git_urls.normalise(one.url): one for one in events.of(RemoteListed)}
    locked = {(one.url, one.version) for one in events.of(Locked) if one.url}
    found = [] if local else list(_of_checkouts(paths, sources, answers, locked))
    for one in dict.fromkeys(events.of(VersionUsed)):
        if (git_urls.normalise(one.url), one.version) in locked:
            continue
        have = _have(one.clone) if one.clone is not None else None
        answer = answers.get(git_urls.normalise(one.url))
        if one.clone is None and answer is not None:
            have = answer.objects
        found.append(_some_of(one.clone, one.url, {one.version or _HEAD}, have, answers))
    covered = {git_urls.normalise(one["url"]) for one in found if one is not None}
    covered.update(url for url, _ in locked)
    # It is not known what of it was used, so everything counts.
    for url, answer in answers.items():
        if url not in covered:
            found.append(_question("", answer.url, None, answer.objects, answer.default_branch))
    questions = [one for one in found if one is not None]
    return questions if len(questions) == len(found) else None


def _of_checkouts(
    paths: WorkPaths, sources: Sources, answers: _Answers, locked: set[tuple[str, str]]
) -> Iterator[dict[str, Any] | None]:
    yield _all_of(paths.catalog / ".git", sources.cluster.catalog_url, answers)
    for one in sources.classes.of_kind(*CONFIGURATION):
        is_locked = (git_urls.normalise(one.spec.url), one.spec.version or "") in locked
        if not is_locked and not is_commit(one.spec.version or ""):
            yield _all_of(one.worktree / ".git", one.spec.url, answers)
    clones: dict[Path, list[Dependency]] = {}
    for one in sources.classes.dependencies:
        is_locked = (git_urls.normalise(one.spec.url), one.spec.version or "") in locked
        if one.spec.kind not in CONFIGURATION and not is_locked:
            bare = paths.bare_clones / git_urls.dependency_key(one.url)
            clones.setdefault(bare, []).append(one)
    for bare, dependencies in clones.items():
        versions = {one.spec.version or _HEAD for one in dependencies}
        if not all(is_commit(version) for version in versions):
            yield _some_of(bare, dependencies[0].url, versions, _have(bare), answers)


def are_unchanged(root: Path, questions: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all remotes still have what they had."""
    from commodore_py.dependencies.git.remotes import RemoteClient

    client, of_catalog = RemoteClient(root), RemoteClient(root, current=True)
    catalog = str(root / "catalog" / ".git")

    def is_unchanged(question: Mapping[str, Any]) -> bool:
        return _answers(question, of_catalog if question["folder"] == catalog else client)

    near = [one for one in questions if git_urls.local_path(git_urls.normalise(one["url"]))]
    far = [one for one in questions if one not in near]
    # Files first: where one has changed, no server is asked.
    if not all(map(is_unchanged, near)):
        return False
    return all(in_parallel(is_unchanged, far, at_most=_PARALLEL))


def _answers(question: Mapping[str, Any], client: RemoteClient) -> bool:
    try:
        answer = client.list_refs(question["url"], Path(question["folder"]))
    except CommodoreError:  # a full run will say what is wrong
        return False
    objects = answer.objects
    if question["names"] is not None:
        objects = {name: objects[name] for name in question["names"] if name in objects}
    default = answer.default_branch if question["default"] is not None else None
    return (question["default"], question["digest"]) == (default, _digest(objects))


def _all_of(folder: Path, url: str, answers: _Answers) -> dict[str, Any] | None:
    """Everything of a clone that has all that its remote has."""
    have = _refs_in(folder)
    if have is None:
        return None
    default = have.symbolic.get(f"{BRANCHES}{_HEAD}", "").removeprefix(BRANCHES)
    answer = answers.get(git_urls.normalise(url))
    if answer is not None:
        default = answer.default_branch
    return _question(str(folder), url, None, _of_remote(have.objects), default)


def _have(clone: Path) -> Mapping[str, str] | None:
    found = _refs_in(clone)
    return found.objects if found is not None else None


def _refs_in(clone: Path) -> RefValues | None:
    try:
        return read_refs(clone, BRANCHES, TAGS)
    except (CommodoreError, OSError):  # the next run will say what is wrong
        return None


def _some_of(
    bare: Path | None,
    url: str,
    versions: Iterable[str],
    have: Mapping[str, str] | None,
    answers: _Answers,
) -> dict[str, Any] | None:
    """What some versions mean in a clone, whose other branches may lag behind."""
    answer, folder = answers.get(git_urls.normalise(url)), str(bare or "")
    names_of = {one: (f"{BRANCHES}{one}", f"{TAGS}{one}") for one in versions if not is_commit(one)}
    default = None
    if _HEAD in names_of:
        if answer is None:
            return None
        default = answer.default_branch
        names_of[_HEAD] = (f"{BRANCHES}{default}", f"{TAGS}{default}")
    if have is None:
        return None
    if not all(any(name in have for name in names) for names in names_of.values()):
        # Something that Git has to interpret: it may depend on all.
        return _question(folder, url, None, _of_remote(have), default)
    wanted = {name for names in names_of.values() for name in names}
    objects = {name: value for name, value in have.items() if name in wanted}
    return _question(folder, url, sorted(wanted), objects, default)


def _question(
    folder: str,
    url: str,
    names: Sequence[str] | None,
    objects: Mapping[str, str],
    default: str | None,
) -> dict[str, Any]:
    return {
        "folder": folder,
        "url": url,
        "names": names,
        "default": default,
        "digest": _digest(objects),
    }


def _of_remote(objects: Mapping[str, str]) -> dict[str, str]:
    names = (BRANCHES, TAGS)
    return {name: value for name, value in objects.items() if name.startswith(names)}


def _digest(objects: Mapping[str, str]) -> str:
    text = json.dumps(sorted(objects.items())).encode()
    return blake2b(text, digest_size=20).hexdigest()
