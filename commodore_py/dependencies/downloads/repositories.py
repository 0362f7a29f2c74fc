"""Git repositories that components download, by way of the bare clones."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files.archives import pack, read_folder
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import BRANCHES, TAGS, note_default_branch, refs_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.jsonnetfile import Remote
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.dependencies.jsonnet.fetch import Clones
    from commodore_py.model.download import Repository

    from .bounds import LocalSources
    from .store import FetchSettings, Stored

log = logging.getLogger(__name__)

_FROM_DISK = {"GIT_ALLOW_PROTOCOL": "file"}
# No reflogs: they contain the name of the user.
_QUIET = ("-c", "core.logAllRefUpdates=false", "-c", "advice.detachedHead=false")


@dataclass(slots=True)
class Repositories:
    """The repositories of a run; each is queried and fetched once."""

    settings: FetchSettings
    clones: Clones
    local: LocalSources
    _locks: dict[str, Lock] = field(default_factory=dict)

    def fetch(self, repository: Repository) -> Stored:
        """Fetch the files of a version, with `.git` for a whole repository."""
        repository = replace(repository, url=self.local.absolute(repository.url))
        remote = Remote(repository.url, "")
        place = str(self.clones.path(remote))
        with self._locks.setdefault(place, Lock()):  # atomic with strings as keys
            commit = self._known_commit(repository)
            store = self.settings.store
            tree = store.find(*_key(repository, commit)) if commit else None
            if tree is None:
                self.settings.require_network(without_secrets(str(repository)))
                commit = self.clones.commit(
                    remote, repository.ref or (self.clones.refs(remote).default_branch or "HEAD")
                )
                tree = store.find(*_key(repository, commit))
                tree = tree or self._make(repository, remote, commit)
            if not is_commit(repository.ref or ""):
                store.note(tree.source, *ref_key(repository), commit=commit)
            return tree

    def _known_commit(self, repository: Repository) -> str:
        """The commit of a version without fetching; empty if that is needed."""
        ref = repository.ref or ""
        if is_commit(ref):
            return ref
        if not self.settings.refresh:
            noted = self.settings.store.find(*ref_key(repository))
            return noted.about.get("commit", "") if noted is not None else ""
        answer = self.clones.refs(Remote(repository.url, ""))
        names = (TAGS + ref, BRANCHES + ref) if ref else (BRANCHES + answer.default_branch,)
        return next((answer.commits[name] for name in names if name in answer.commits), "")

    def _make(self, repository: Repository, remote: Remote, commit: str) -> Stored:
        bare = self.clones.path(remote).resolve()
        with self.settings.store.incoming() as folder:
            place = folder / "tree"
            place.mkdir()
            if repository.subdir and not repository.submodules:
                _files_only(bare, commit, folder, place)
            else:
                note_default_branch(bare, self.clones.refs(remote).default_branch)
                _clone(repository, bare, commit, place, self.local)
            start = place / repository.subdir
            if not (start.is_dir() and start.resolve().is_relative_to(place.resolve())):
                raise CommodoreError(
                    f"commit {commit[:12]} has no folder {repository.subdir}",
                    where=without_secrets(repository.url),
                    hint="check subdir and ref",
                )
            packed = folder / "tree.tar"
            pack(read_folder(start, bounds=place), packed)
            source = f"{without_secrets(repository.url)} {commit[:12]} {repository.subdir}"
            return self.settings.store.add(packed, source.strip(), *_key(repository, commit))


def _files_only(bare: Path, commit: str, scratch: Path, place: Path) -> None:
    env = {
        "GIT_DIR": str(bare),
        "GIT_WORK_TREE": str(place),
        "GIT_INDEX_FILE": str(scratch / "index"),
    }
    git(place, "read-tree", commit, env=env)
    git(place, "checkout-index", "--all", env=env)


def _clone(
    repository: Repository, bare: Path, commit: str, place: Path, local: LocalSources
) -> None:
    """A self-contained clone, as after `git clone` and `git checkout`."""
    refs = refs_of(bare)
    branch = _branch(repository, refs.default_branch, {*refs.commits})
    git(place, "init", "--quiet", "--template=", f"--initial-branch={refs.default_branch}")
    git(place, "remote", "add", "origin", git_urls.normalise(repository.url))
    borrowing = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fsdecode(bare / "objects")}
    specs = (f"+{BRANCHES}*:{BRANCHES}*", f"+{TAGS}*:{TAGS}*")
    fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", str(bare), *specs)
    git(place, *_QUIET, *fetch, env={**_FROM_DISK, **borrowing})
    how = ("-B", branch, "--track", f"origin/{branch}") if branch else ("--detach", commit)
    git(place, *_QUIET, "checkout", "--quiet", *how, env=borrowing)
    if repository.submodules:
        _check_submodules(repository, place, local)
        # By default Git rejects local submodules, as a remote could name any local folder.
        is_local = git_urls.local_path(git_urls.normalise(repository.url)) is not None
        allow = ("-c", "protocol.file.allow=always") if is_local else ()
        over_network(place, *_QUIET, *allow, "submodule", "--quiet", "update", "--init")
    git(place, "repack", "-a", "-d", "--quiet", env=borrowing)


def _check_submodules(repository: Repository, place: Path, local: LocalSources) -> None:
    """Refuse submodules that would not be downloaded by themselves."""
    if not (place / ".gitmodules").is_file():
        return
    listing = git(place, "config", "--file", ".gitmodules", "-z", "--list")
    for line in listing.split("\0"):
        key, _, url = line.partition("\n")
        if not (key.startswith("submodule.") and key.endswith(".url")):
            continue
        if url.startswith(("./", "../")):
            whole = f"{repository.url.rstrip('/')}/{url}"
        else:
            whole = git_urls.normalise(url)
        if not local.is_beside(whole, beside=repository.url):
            raise CommodoreError(
                f"submodule {without_secrets(url)} is a local repository that is neither beside"
                " its own repository nor beside one of a dependency",
                where=without_secrets(repository.url),
                hint="move it beside the repository, or name it by a URL of a server",
            )


def _branch(repository: Repository, default: str, refs: set[str]) -> str:
    name = repository.ref or default
    return name if BRANCHES + name in refs and not (repository.ref and TAGS + name in refs) else ""


def _key(repository: Repository, commit: str) -> tuple[str, ...]:
    more = "with submodules" if repository.submodules else ""
    return "git", git_urls.normalise(repository.url), commit, repository.subdir, more


def ref_key(repository: Repository) -> tuple[str, ...]:
    """The key under which the commit of a version is noted."""
    return "ref", git_urls.normalise(repository.url), repository.ref or ""
