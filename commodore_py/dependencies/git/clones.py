"""Bare clones: one per repository, asked about, brought up to date, and lent to worktrees."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters.files import aside_of, remove
from commodore_py.adapters.git import urls as git_urls
from commodore_py.adapters.git.blueprint import Blueprint
from commodore_py.adapters.git.layout import by_program
from commodore_py.adapters.git.local_remote import copy_all
from commodore_py.adapters.git.program import fetch, git
from commodore_py.adapters.git.refs import BRANCHES, FALLBACK_BRANCH, TAGS, Refs, read_refs, refs_of
from commodore_py.adapters.git.repository import add_remote, configure_remote, settings_text
from commodore_py.adapters.git.worktrees import heads_of
from commodore_py.adapters.process import ProgramFailed
from commodore_py.errors import CommodoreError

from .lending_entries import give_back
from .questions import is_plain, lacks, refs_from
from .revisions import is_commit, is_complete, moved_tags

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

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
        have = read_refs(bare, BRANCHES, TAGS)
        matters = not have.objects or not _are_present(bare, versions)
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
    blueprint: Blueprint | None = None,
) -> Refs:
    """Open or make a bare clone and bring it up to date; returns its branches and tags.

    Without an answer of the remote, a clone that is there has all that is needed.
    """
    fresh, has_loan = not (bare / "HEAD").is_file(), False
    if fresh:
        if asker is not None and not (lender is not None and lender.has(url)):
            refs = _copied(bare, url, specs, asker, rule=rule, blueprint=blueprint)
            if refs is not None:
                if lender is not None:
                    lender.keep(url, bare, fresh=True, changed=True)
                return refs
        has_loan = make_clone(bare, url, lender, rule, blueprint)
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
        fetch(bare, fresh=fresh and not has_loan)
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
    have = read_refs(bare, BRANCHES, TAGS)
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
    have = read_refs(bare, BRANCHES, TAGS)
    if have.objects.keys() - have.peeled.keys() - {"HEAD"}:
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
    blueprint: Blueprint | None,
) -> Refs | None:
    """Make a clone of what lies on this machine; None where that is left to a fetch."""
    if by_program():
        return None
    aside = aside_of(bare)
    _begin(aside, url, rule, blueprint)
    settings = settings_text(aside)
    place, answer = asker.place_of(url, settings), asker.look(url, settings)
    # A fetch brings only what a name leads to: no other commit must be found.
    plain = answer is not None and is_plain(answer, {spec.version or "HEAD" for spec in specs})
    if (
        place is None
        or answer is None
        or not plain
        or not copy_all(place, answer.objects, answer.peeled, aside)
    ):
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
    blueprint: Blueprint | None = None,
) -> bool:
    """Make a clone that has nothing but what was lent, and say whether that is anything.

    The fetch that follows brings the rest.
    """
    aside = aside_of(bare)
    _begin(aside, url, rule, blueprint)
    has_loan = lender is not None and lender.lend(url, aside)
    _put_in_place(aside, bare)
    return has_loan


def _begin(aside: Path, url: str, rule: PushRule | None, blueprint: Blueprint | None) -> None:
    aside.mkdir(parents=True)
    (blueprint or Blueprint()).make(aside)
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
