"""Bare clones: one per repository, asked about, brought up to date, and lent to worktrees."""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git import urls as git_urls
from commodore_py.adapters.git.files import bytes_of, refs_in, text_of
from commodore_py.adapters.git.program import (
    BRANCHES,
    FALLBACK_BRANCH,
    TAGS,
    Refs,
    add_remote,
    configure_remote,
    fetch,
    files_listed,
    git,
    refs_of,
)
from commodore_py.adapters.process import ProgramFailed
from commodore_py.dependencies.protection.safety import git_folder_of
from commodore_py.errors import CommodoreError

from .lending_entries import give_back
from .mould import Mould
from .nearby import bring
from .questions import is_plain, lacks, refs_from
from .revisions import is_commit, is_complete, moved_tags

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from commodore_py.adapters.git.files import RefFiles
    from commodore_py.adapters.git.urls import PushRule
    from commodore_py.model.dependency import DependencySpec

    from .lending import Lender
    from .questions import Answer, Asker

log = logging.getLogger(__name__)

_OF_REMOTE = (BRANCHES, TAGS)


def question(bare: Path, url: str, specs: Sequence[DependencySpec], asker: Asker) -> Answer | None:
    """Ask what a clone's remote has, unless that cannot matter."""
    versions = {spec.version or "HEAD" for spec in specs}
    if not (bare / "HEAD").is_file():  # all of it will be fetched, but for the remote's HEAD
        matters = any(version.startswith("HEAD") for version in versions)
    elif not all(is_commit(version) for version in versions):
        matters = True
    else:
        have = refs_in(bare, BRANCHES, TAGS)
        matters = have is None or not have.objects or not _are_present(bare, versions)
    try:
        return asker.ask(url, bare) if matters else None
    except ProgramFailed as error:
        raise _cannot_fetch(url, specs, error) from error


def update_clone(
    bare: Path,
    url: str,
    specs: Sequence[DependencySpec],
    answer: Answer | None,
    *,
    lender: Lender | None = None,
    rule: PushRule | None = None,
    asker: Asker | None = None,
    mould: Mould | None = None,
) -> Refs:
    """Open or make a bare clone and bring it up to date; returns its branches and tags.

    Without an answer of the remote, a clone that is there has all that is needed.
    """
    fresh = not (bare / "HEAD").is_file()
    if fresh:
        if asker is not None and not (lender is not None and lender.has(url)):
            refs = _copied(bare, url, specs, asker, rule=rule, mould=mould)
            if refs is not None:
                if lender is not None:
                    lender.keep(url, bare, fresh=True, changed=True)
                return refs
        make_clone(bare, url, lender, rule, mould)
    else:
        configure_remote(bare, url, rule)
        known = _up_to_date(bare, specs, answer)
        if known is not None:
            return known
    before = Refs({}, "") if fresh else _refs(bare)
    shown = git_urls.without_password(git_urls.normalise(url))
    log.info("fetching %s", shown)
    try:
        # A loan comes with refs; what is missing then is not much.
        fetch(bare, fresh=fresh and not (bare / "packed-refs").is_file())
    except ProgramFailed as error:
        raise _cannot_fetch(url, specs, error) from error
    give_back(bare)
    _pack_refs(bare)
    after = _refs(bare)
    if answer is not None and answer.default_branch:
        after = replace(after, default_branch=answer.default_branch)
    for tag in moved_tags(before, after):
        log.warning("a tag was moved in %s: %s", shown, tag)
    if lender is not None:
        lender.keep(url, bare, fresh=fresh, changed=after != before)
    return after


def heads_of(bare: Path) -> dict[Path, tuple[str, str]]:
    """What the worktrees of this clone are really at: a commit, and a branch or nothing.

    They go by the folders that Git keeps of them in the clone.
    """
    refs = refs_in(bare, "refs/heads")
    if refs is None:
        return _heads_listed(bare)
    return {Path(one.admin): (one.commit, one.branch) for one in heads_in(bare, refs)}


@dataclass(frozen=True, slots=True)
class Head:
    """What a worktree is at, by Git's files."""

    admin: str
    """The folder that Git keeps of it in the clone."""
    link: str
    """The file in the worktree that leads there."""
    commit: str
    branch: str


def heads_in(bare: Path, refs: RefFiles) -> Iterator[Head]:
    """The heads of all worktrees of a clone that has these branches."""
    try:
        names = sorted(os.listdir(f"{bare}/worktrees"))  # noqa: PTH208 - quicker
    except (FileNotFoundError, NotADirectoryError):
        return
    folder = os.path.realpath(f"{bare}/worktrees") if names else ""
    for name in names:
        admin = f"{folder}/{name}"
        try:
            link = os.path.join(admin, _line(f"{admin}/gitdir"))  # noqa: PTH118 - quicker
            leads_to = _line(link).removeprefix("gitdir: ").strip()
            head = _line(f"{admin}/HEAD")
        except OSError:
            continue  # what Git remembers may be long gone
        if leads_to != admin and git_folder_of(Path(link).parent) != Path(admin):
            continue
        branch = head.removeprefix("ref: refs/heads/")
        if branch != head:
            yield Head(admin, link, refs.objects.get(f"refs/heads/{branch}", ""), branch)
        else:
            yield Head(admin, link, head, "")


def _line(file: str) -> str:
    return os.fsdecode(bytes_of(file)).strip()


def _heads_listed(bare: Path) -> dict[Path, tuple[str, str]]:
    heads: dict[Path, tuple[str, str]] = {}
    for block in git(bare, "worktree", "list", "--porcelain").split("\n\n"):
        lines = dict(line.partition(" ")[::2] for line in block.splitlines())
        admin = git_folder_of(Path(lines.get("worktree", "")))
        if admin is not None and admin.parent.parent == bare.resolve():
            branch = lines.get("branch", "").removeprefix("refs/heads/")
            heads[admin] = (lines.get("HEAD", ""), branch)
    return heads


def belongs_to(git_folder: Path | None, bare: Path) -> bool:
    """Whether this is what a clone keeps of a worktree."""
    if git_folder is None:
        return False
    clone = git_folder.parent.parent
    return clone == bare or clone == bare.resolve()


def _up_to_date(bare: Path, specs: Sequence[DependencySpec], answer: Answer | None) -> Refs | None:
    """The remote's refs, if a clone has all of them that matter."""
    versions = {spec.version or "HEAD" for spec in specs}
    if answer is None:  # commits never change
        return Refs({}, "") if _are_present(bare, versions) else None
    have = refs_in(bare, BRANCHES, TAGS) or files_listed(bare)
    commits = {version for version in versions if is_commit(version)}
    if lacks(answer, have, versions - commits) or not _are_present(bare, commits):
        return None
    refs = refs_from(answer, have, versions - commits)
    if refs is not None:
        return refs
    _pack_refs(bare)
    return refs_of(bare)


def _refs(bare: Path) -> Refs:
    """All remote branches and tags; a tag may also name a file or a folder."""
    have = refs_in(bare, BRANCHES, TAGS)
    if have is None or have.objects.keys() - have.peeled.keys() - {"HEAD"}:
        return refs_of(bare)
    commits = {name: value for name, value in have.peeled.items() if name.startswith(_OF_REMOTE)}
    head = have.symbolic.get(f"{BRANCHES}HEAD", "").removeprefix(BRANCHES)
    return Refs(commits, head if BRANCHES + head in commits else FALLBACK_BRANCH)


def _pack_refs(bare: Path) -> None:
    """Put all refs into one file, quick to read, that also tells what tags lead to."""
    git(bare, "pack-refs", "--all")


def _cannot_fetch(
    url: str, specs: Sequence[DependencySpec], error: ProgramFailed
) -> CommodoreError:
    return CommodoreError(
        f"cannot fetch {', '.join(str(spec) for spec in specs)}: {error.stderr.strip()}",
        where=git_urls.without_password(git_urls.normalise(url)),
        hint="check the url in the hierarchy, and that you may read the repository",
    )


def _copied(
    bare: Path,
    url: str,
    specs: Sequence[DependencySpec],
    asker: Asker,
    *,
    rule: PushRule | None,
    mould: Mould | None,
) -> Refs | None:
    """Make a clone of what lies on this machine; None where that is left to a fetch."""
    aside = aside_of(bare)
    _begin(aside, url, rule, mould)
    settings = text_of(f"{aside}/config")
    place, answer = asker.place_of(url, settings), asker.look(url, settings)
    # A fetch brings only what a name leads to: no other commit must be found.
    plain = answer is not None and is_plain(answer, {spec.version or "HEAD" for spec in specs})
    if place is None or answer is None or not plain or not bring(place, answer, aside):
        remove(aside)
        return None
    log.info("copying %s", git_urls.normalise(url))
    refs = _refs(aside)
    _put_in_place(aside, bare)
    return replace(refs, default_branch=answer.default_branch or refs.default_branch)


def make_clone(
    bare: Path,
    url: str,
    lender: Lender | None,
    rule: PushRule | None = None,
    mould: Mould | None = None,
) -> None:
    """Make a clone that has nothing but what was lent; the fetch that follows brings the rest."""
    aside = aside_of(bare)
    _begin(aside, url, rule, mould)
    if lender is not None:
        lender.lend(url, aside)
    _put_in_place(aside, bare)


def _begin(aside: Path, url: str, rule: PushRule | None, mould: Mould | None) -> None:
    aside.mkdir(parents=True)
    (mould or Mould()).make(aside)
    add_remote(aside, url, rule)


def _put_in_place(aside: Path, bare: Path) -> None:
    if bare.exists():
        remove(bare)  # without a HEAD it is no repository, and nothing was ever checked out from it
    aside.rename(bare)


def _are_present(bare: Path, versions: Collection[str]) -> bool:
    """Whether these are nothing but commits, and in the clone."""
    if not all(is_commit(version) for version in versions):
        return False
    checked_out = {commit for commit, _ in heads_of(bare).values()} if versions else set()
    return all(one in checked_out or is_complete(bare, one) for one in versions)
