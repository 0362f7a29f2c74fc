"""Git repositories that components download, by way of the bare clones."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

from commodore_py.adapters import git_urls
from commodore_py.adapters.files.archives import pack, read_folder
from commodore_py.adapters.git.program import git, over_network
from commodore_py.adapters.git.refs import BRANCHES, TAGS, note_default_branch, refs_of
from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.jsonnet.remote import Remote
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.git.refs import Refs
    from commodore_py.dependencies.git.remotes import RemoteClient
    from commodore_py.dependencies.jsonnet.fetch import Clones
    from commodore_py.model.download import Repository

    from .local_sources import LocalSources
    from .settings import FetchSettings
    from .store import Stored

log = logging.getLogger(__name__)

_FROM_DISK = {"GIT_ALLOW_PROTOCOL": "file"}
# No reflogs: they contain the name of the user.
_QUIET = ("-c", "core.logAllRefUpdates=false", "-c", "advice.detachedHead=false")


@dataclass(slots=True)
class Repositories:
    """The repositories of a run; each is queried and fetched once."""

    settings: FetchSettings
    clones: Clones
    client: RemoteClient
    local: LocalSources
    _answers: dict[str, Refs] = field(default_factory=dict)
    _locks: dict[Path, Lock] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def fetch(self, wanted: Repository) -> Stored:
        """Fetch the files of a version, with `.git` for a whole repository."""
        wanted = wanted._replace(url=self.local.absolute(wanted.url))
        remote = Remote(wanted.url, "")
        with self._lock:
            lock = self._locks.setdefault(self.clones.of(remote), Lock())
        with lock:
            commit = self._known_commit(wanted)
            known = self._tree(wanted, commit) if commit else None
            if known is None:
                self.settings.require_network(without_secrets(str(wanted)))
                commit = self.clones.commit(
                    remote, wanted.ref or (self._answer(wanted).default_branch or "HEAD")
                )
                known = self._tree(wanted, commit) or self._make(wanted, remote, commit)
            if not is_commit(wanted.ref or ""):
                self.settings.store.note(known.source, *ref_key(wanted), commit=commit)
            return known

    def _known_commit(self, wanted: Repository) -> str:
        """The commit of a version without fetching; empty if that is needed."""
        ref = wanted.ref or ""
        if is_commit(ref):
            return ref
        if not self.settings.refresh:
            noted = self.settings.store.find(*ref_key(wanted))
            return noted.about.get("commit", "") if noted is not None else ""
        answer = self._answer(wanted)
        names = (TAGS + ref, BRANCHES + ref) if ref else (BRANCHES + answer.default_branch,)
        return next((answer.commits[name] for name in names if name in answer.commits), "")

    def _answer(self, wanted: Repository) -> Refs:
        if wanted.url not in self._answers:
            self._answers[wanted.url] = self.client.list_refs(wanted.url)
        return self._answers[wanted.url]

    def _tree(self, wanted: Repository, commit: str) -> Stored | None:
        known = self.settings.store.find(*_key(wanted, commit))
        return known if known is not None and self.settings.store.verified(known) else None

    def _make(self, wanted: Repository, remote: Remote, commit: str) -> Stored:
        bare = self.clones.of(remote).resolve()
        with self.settings.store.incoming() as folder:
            place = folder / "tree"
            place.mkdir()
            if wanted.subdir and not wanted.submodules:
                _files_only(bare, commit, folder, place)
            else:
                note_default_branch(bare, self._answer(wanted).default_branch)
                _clone(wanted, bare, commit, place, self.local)
            start = place / wanted.subdir
            if not (start.is_dir() and start.resolve().is_relative_to(place.resolve())):
                raise CommodoreError(
                    f"commit {commit[:12]} has no folder {wanted.subdir}",
                    where=without_secrets(wanted.url),
                    hint="check subdir and ref",
                )
            packed = folder / "tree.tar"
            pack(read_folder(start, bounds=place), packed)
            source = f"{without_secrets(wanted.url)} {commit[:12]} {wanted.subdir}"
            return self.settings.store.add(packed, source.strip(), *_key(wanted, commit))


def _files_only(bare: Path, commit: str, scratch: Path, place: Path) -> None:
    env = {
        "GIT_DIR": str(bare),
        "GIT_WORK_TREE": str(place),
        "GIT_INDEX_FILE": str(scratch / "index"),
    }
    git(place, "read-tree", commit, env=env)
    git(place, "checkout-index", "--all", env=env)


def _clone(wanted: Repository, bare: Path, commit: str, place: Path, local: LocalSources) -> None:
    """A self-contained clone, as after `git clone` and `git checkout`."""
    refs = refs_of(bare)
    branch = _branch(wanted, refs.default_branch, {*refs.commits})
    git(place, "init", "--quiet", "--template=", f"--initial-branch={refs.default_branch}")
    git(place, "remote", "add", "origin", git_urls.normalise(wanted.url))
    borrowing = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fsdecode(bare / "objects")}
    specs = (f"+{BRANCHES}*:{BRANCHES}*", f"+{TAGS}*:{TAGS}*")
    fetch = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", str(bare), *specs)
    git(place, *_QUIET, *fetch, env={**_FROM_DISK, **borrowing})
    how = ("-B", branch, "--track", f"origin/{branch}") if branch else ("--detach", commit)
    git(place, *_QUIET, "checkout", "--quiet", *how, env=borrowing)
    if wanted.submodules:
        _check_submodules(wanted, place, local)
        # By default Git rejects local submodules, as a remote could name any local folder.
        is_local = git_urls.local_path(git_urls.normalise(wanted.url)) is not None
        allow = ("-c", "protocol.file.allow=always") if is_local else ()
        over_network(place, *_QUIET, *allow, "submodule", "--quiet", "update", "--init")
    git(place, "repack", "-a", "-d", "--quiet", env=borrowing)


def _check_submodules(wanted: Repository, place: Path, local: LocalSources) -> None:
    """Refuse submodules that would not be downloaded by themselves without a word."""
    if not (place / ".gitmodules").is_file():
        return
    listing = git(place, "config", "--file", ".gitmodules", "-z", "--list")
    for line in listing.split("\0"):
        key, _, url = line.partition("\n")
        if not (key.startswith("submodule.") and key.endswith(".url")):
            continue
        if url.startswith(("./", "../")):
            whole = f"{wanted.url.rstrip('/')}/{url}"
        else:
            whole = git_urls.normalise(url)
        if not local.is_near(whole, beside=wanted.url):
            raise CommodoreError(
                f"submodule {without_secrets(url)} is a local repository that is neither beside"
                " its own repository nor beside one of a dependency",
                where=without_secrets(wanted.url),
                hint="move it beside the repository, or name it by a URL of a server",
            )


def _branch(wanted: Repository, default: str, refs: set[str]) -> str:
    name = wanted.ref or default
    return name if BRANCHES + name in refs and not (wanted.ref and TAGS + name in refs) else ""


def _key(wanted: Repository, commit: str) -> tuple[str, ...]:
    more = "with submodules" if wanted.submodules else ""
    return "git", git_urls.normalise(wanted.url), commit, wanted.subdir, more


def ref_key(wanted: Repository) -> tuple[str, ...]:
    """The key under which the commit of a version is noted."""
    return "ref", git_urls.normalise(wanted.url), wanted.ref or ""
