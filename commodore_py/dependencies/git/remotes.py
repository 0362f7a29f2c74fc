"""The refs of remotes, each listed once; which of them are missing in a clone (pure)."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import git_urls
from commodore_py.adapters.git.layout import by_program, has_plain_settings
from commodore_py.adapters.git.local_remote import git_folder_of_remote
from commodore_py.adapters.git.program import over_network
from commodore_py.adapters.git.refs import (
    BRANCHES,
    FALLBACK_BRANCH,
    HEADS,
    TAGS,
    Refs,
    refs_in_files,
)
from commodore_py.adapters.git.repository import settings_text
from commodore_py.adapters.git.user_settings import has_rules_for_remotes
from commodore_py.adapters.masking import without_secrets

from .revisions import is_commit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.adapters.git.refs import RefValues

log = logging.getLogger(__name__)

_PATTERNS = ("HEAD", "refs/heads/*", "refs/tags/*")


class RemoteRefs(NamedTuple):
    """The branches and tags of a remote, under the names that a clone has for them."""

    objects: Mapping[str, str]
    """Of refs by full names, `refs/remotes/origin/...` and `refs/tags/...`."""
    peeled: Mapping[str, str]
    """What refs lead to once tags are opened, where that is known."""
    default_branch: str
    """The branch that the remote's HEAD names; empty if it names none that exists."""


# By address; None unless several clusters are compiled.
_listed: dict[str, RemoteRefs] | None = None


@contextmanager
def listed_once() -> Iterator[None]:
    """Query each remote once meanwhile: all clusters that are compiled see it in the same state."""
    global _listed  # noqa: PLW0603 - a command compiles several clusters, or it does not
    before, _listed = _listed, {}
    try:
        yield
    finally:
        _listed = before


class RemoteClient:
    """Lists the refs of remotes.

    With `current`, responses to earlier clusters do not count: a catalog may have been pushed to.
    """

    def __init__(self, root: Path, *, current: bool = False) -> None:
        self.root = root
        self._current = current

    def list_refs(self, url: str, git_folder: Path) -> RemoteRefs:
        """What a remote has, for a clone of it; one on this machine responses by its files."""
        settings = settings_text(git_folder)
        response = self.local_refs(url, settings)
        if response is not None:
            return response
        address = git_urls.normalise(url)
        shared = None if self._current or by_program() or _rewrites(settings) else _listed
        if shared is not None and address in shared:
            return shared[address]
        log.info("listing the refs of %s", without_secrets(address))
        arguments = ("ls-remote", "--quiet", "--symref", "--", address, *_PATTERNS)
        where = git_folder if git_folder.is_dir() else self.root
        response = parse_listing(over_network(where, *arguments))
        if shared is not None:
            shared[address] = response
        return response

    def local_refs(self, url: str, settings: str) -> RemoteRefs | None:
        """The same by files alone, for a clone with these settings; None if Git is needed."""
        folder = self.local_folder(url, settings)
        files = refs_in_files(folder, "refs/heads", "refs/tags") if folder is not None else None
        return _read(files) if files is not None else None

    def local_folder(self, url: str, settings: str) -> Path | None:
        """The path of a remote on this machine; None if it must be fetched by Git."""
        path = git_urls.local_path(git_urls.normalise(url))
        # The user's settings may make another address of it: `url.<base>.insteadOf`.
        if path is None or by_program() or _rewrites(settings) or has_rules_for_remotes(self.root):
            return None
        return git_folder_of_remote(path)


def parse_listing(listing: str) -> RemoteRefs:
    """Read what `git ls-remote --symref` prints (pure)."""
    objects: dict[str, str] = {}
    peeled: dict[str, str] = {}
    head = head_object = ""
    for line in listing.splitlines():
        value, _, name = line.partition("\t")
        if name == "HEAD":
            if value.startswith("ref: "):
                head = value.removeprefix(f"ref: {HEADS}")
            else:
                head_object = value
        elif not name.startswith((HEADS, TAGS)) or value.startswith("ref: "):
            continue  # patterns match the ends of names
        elif name.endswith("^{}"):
            peeled[name.removesuffix("^{}")] = value
        else:
            objects[_own_name(name)] = value
    for name, value in objects.items():
        peeled.setdefault(name, value)
    return RemoteRefs(objects, peeled, _default_branch(objects, head, head_object))


def lacks(response: RemoteRefs, have: RefValues, versions: Collection[str] | None) -> bool:
    """Whether a clone is behind in what some versions mean; None stands for everything."""
    if versions is not None and is_plain(response, versions):
        names = [name for version in versions for name in _names(response, version)]
    else:
        # What else a version may mean depends on everything.
        clones = {name for name in have.objects if name.startswith((BRANCHES, TAGS))}
        names = [*response.objects, *clones]
    return any(response.objects.get(name) != have.objects.get(name) for name in names)


def refs_from(response: RemoteRefs, have: RefValues, versions: Collection[str]) -> Refs | None:
    """The remote's refs as commits; None if it is not known what a wanted tag leads to."""
    commits = {
        name: response.peeled.get(name) or (have.peeled.get(name, "") if same else "")
        for name, value in response.objects.items()
        for same in [have.objects.get(name) == value]
    }
    commits |= {
        name: value for name, value in response.objects.items() if name.startswith(BRANCHES)
    }
    wanted = (name for version in versions for name in _names(response, version))
    if any(commits.get(name) == "" for name in wanted):
        return None
    known = {name: commit for name, commit in commits.items() if commit}
    before = have.symbolic.get(f"{BRANCHES}HEAD", "")
    old = before.removeprefix(BRANCHES) if before in known else ""
    return Refs(known, response.default_branch or old or FALLBACK_BRANCH)


def _rewrites(settings: str) -> bool:
    """Whether a clone has settings of the user's that may rewrite addresses."""
    return "insteadof" in settings.lower() or not has_plain_settings(settings)


def _read(files: RefValues) -> RemoteRefs:
    objects = {_own_name(name): v for name, v in files.objects.items() if name != "HEAD"}
    for name, target in files.symbolic.items():
        if name != "HEAD" and target in files.objects:
            objects[_own_name(name)] = files.objects[target]
    peeled = {_own_name(name): value for name, value in files.peeled.items()}
    head = files.symbolic.get("HEAD", "").removeprefix(HEADS)
    return RemoteRefs(
        objects, peeled, _default_branch(objects, head, files.objects.get("HEAD", ""))
    )


def _own_name(name: str) -> str:
    return BRANCHES + name.removeprefix(HEADS) if name.startswith(HEADS) else name


def _default_branch(objects: Mapping[str, str], head: str, head_object: str) -> str:
    if head:
        return head if BRANCHES + head in objects else ""
    # HEAD is detached, or the server is old: as Git does, the branch of that commit.
    names = [n for n, v in objects.items() if n.startswith(BRANCHES) and v == head_object]
    usual = BRANCHES + FALLBACK_BRANCH
    found = usual if usual in names else min(names, default="")
    return found.removeprefix(BRANCHES)


def is_plain(response: RemoteRefs, versions: Iterable[str]) -> bool:
    """Whether versions are nothing but names of branches and tags."""
    return all(_is_plain(response, version) for version in versions)


def _is_plain(response: RemoteRefs, version: str) -> bool:
    if is_commit(version):
        return False
    return version == "HEAD" or any(n + version in response.objects for n in (BRANCHES, TAGS))


def _names(response: RemoteRefs, version: str) -> tuple[str, str]:
    name = response.default_branch if version == "HEAD" else version
    return BRANCHES + name, TAGS + name
