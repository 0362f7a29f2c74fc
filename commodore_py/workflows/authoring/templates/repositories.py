"""Create repositories of components and packages, and update them: completely, or not at all."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from commodore_py.adapters import yaml
from commodore_py.adapters.files import write_tree
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.status import status
from commodore_py.adapters.git_urls import normalise
from commodore_py.adapters.reading import text_of
from commodore_py.catalog.identity import committer, variables_of
from commodore_py.config import Author
from commodore_py.dependencies.protection.authoring import (
    FirstCommit,
    begin_repository,
    begin_worktree,
)
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.tree import Entry, Tree

from .kinds import (
    BUILT_IN,
    COMPONENT,
    PACKAGE,
    TemplateOptions,
    apply_options,
    check_case,
    refuse_unknown,
)
from .merge import cloned, diff, wanted_files
from .record import NAME, Record, skipped
from .source import open_templates, recorded_url

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model.catalog import DiffLine

    from .kinds import RepositoryKind
    from .source import Templates


MESSAGE = "Initial commit"


@dataclass(frozen=True, slots=True)
class Made:
    """A repository that was created."""

    place: Path
    url: str
    """The remote, which does not exist yet."""
    lines: tuple[DiffLine, ...]
    notes: tuple[str, ...]


def make_repository(
    config: Config,
    kind: RepositoryKind,
    slug: str,
    *,
    template: str,
    version: str,
    year: int,
    owner: str,
    name: str = "",
    output_dir: str = "",
    url: str = "",
    trust: bool = False,
    options: TemplateOptions | None = None,
) -> Made:
    """Render a template and create a repository from it; a failure leaves nothing behind.

    Without a URL, its remote is that of the owner at GitHub.
    """
    kind.check(slug)
    options = options or TemplateOptions()
    place = _place(config, kind, slug, output_dir)
    url = url or kind.remote(owner, slug)
    who = committer(Author(), config.paths.root)
    variables, notes = apply_options(
        {
            "copyright_holder": f"{who.name} <{who.email}>",
            "name": name or slug,
            "slug": slug,
            "github_owner": owner,
            "copyright_year": str(year),
        },
        options,
    )
    with open_templates(trust=trust) as templates:
        source = templates.at(recorded_url(template), version)
        (rendered,) = templates.render((source, variables))
    refuse_unknown(options.set, rendered.variables, source.url)
    record = Record(source.url, source.commit, version, rendered.variables)
    tree = rendered.files | Tree({PurePosixPath(NAME): Entry(record.content())})
    lines = diff(Tree(), tree)
    with tempfile.TemporaryDirectory(prefix="commodore-new-") as scratch:
        content = Path(scratch) / "content"
        write_tree(content, tree)
        first = FirstCommit(content, MESSAGE, variables_of(who))
        if place.is_relative_to(config.paths.dependencies.resolve()):
            config.paths.dependencies.mkdir(parents=True, exist_ok=True)
            with exclusive_run(config.paths):
                begin_worktree(config.paths, place, url, first)
        else:
            begin_repository(place, url, first)
    return Made(place, normalise(url), lines, notes)


def _place(config: Config, kind: RepositoryKind, slug: str, output_dir: str) -> Path:
    if not output_dir:
        place = kind.place(config.paths, slug).resolve()
    else:
        parent = Path(output_dir)
        if not parent.is_dir():
            raise CommodoreError(
                f"the output directory {output_dir} does not exist",
                hint="create it, or choose a directory that exists",
            )
        place = parent.resolve() / slug
    if place.exists() or place.is_symlink():
        raise CommodoreError(
            f"{place} already exists; nothing was changed",
            hint=f"choose another slug, or update it: commodore {kind.name} update {place}",
        )
    return place


SUBJECT: Final = "Update from template"
_FALLBACKS: Final = {
    "automerge_patch": "y",
    "automerge_patch_v0": "n",
    "automerge_patch_regexp_blocklist": "",
    "automerge_patch_v0_regexp_allowlist": "",
    "automerge_minor_regexp_allowlist": "",
    "auto_release": "y",
    "test_cases": "defaults",
}
"""Variables that older records lack."""
_SHORT: Final = 7
_SHOWN: Final = 20


@dataclass(frozen=True, slots=True)
class Update:
    """An update that is committed, but that the checkout does not have yet."""

    folder: Path
    record: Record
    commit: str = ""
    """Empty if nothing changes."""
    only_version: bool = False
    """Whether nothing changes but the recorded version of the template."""
    lines: tuple[DiffLine, ...] = ()
    notes: tuple[str, ...] = ()


def message_of(record: Record) -> str:
    """The message of the commit that updates a repository."""
    version = f"{record.checkout or 'HEAD'} ({record.commit[:_SHORT]})"
    return f"{SUBJECT}\n\nTemplate version: {version}\n"


def prepare_update(
    kind: RepositoryKind,
    folder: Path,
    version: str | None,
    options: TemplateOptions,
    templates: Templates,
) -> Update:
    """Commit the update of a repository to a version and options, beside its checkout."""
    folder = folder.resolve()
    record = Record.read(folder)
    if not is_repository(folder):
        raise CommodoreError(
            f"{folder} is not the root of a Git repository; nothing was changed",
            where=str(folder),
            hint="use the root of the repository",
        )
    _refuse_other_kind(kind, record, folder)
    record.refuse_missing(kind.required, folder)
    kind.check(record.text("slug"))
    existing = {**_FALLBACKS, **_guessed(folder, record), **record.variables}
    variables, implied = apply_options(existing, options)
    _refuse_changes(folder)

    version = version or record.checkout
    old = templates.at(record.template, record.commit, record.directory)
    new = templates.at(record.template, version, record.directory)
    before, after = templates.render((old, existing), (new, variables))
    updated = replace(record, commit=new.commit, checkout=version, variables=after.variables)
    with cloned(folder) as clone:
        unwanted = {
            PurePosixPath(NAME),
            *skipped(before.files | after.files, record, folder),
        }
        kept = clone.merge(*wanted_files(before.files, after.files, clone.present(), unwanted))
        cases = [c for c in options.remove_cases if c not in options.add_cases]
        for case in map(check_case, cases):
            clone.remove(f"tests/{case}.yml", f"tests/golden/{case}")
        clone.write(NAME, updated.content())
        commit = clone.commit(message_of(updated))
        paths, lines = clone.changes()
    kept = tuple(name for name in kept if PurePosixPath(name) not in paths)
    notes = list(implied)
    if kept:
        notes.append(
            f"removed from the template, but kept because you changed them: {', '.join(kept)}"
        )
    same = replace(record, commit=new.commit, checkout=version) == updated
    return Update(
        folder,
        updated,
        commit,
        same and paths == (PurePosixPath(NAME),),
        lines,
        tuple(notes),
    )


def _refuse_other_kind(kind: RepositoryKind, record: Record, folder: Path) -> None:
    """Refuse a package as a component, or the reverse, if it is made from our template."""
    other = PACKAGE if kind == COMPONENT else COMPONENT
    if record.template == f"{BUILT_IN}{other.name}":
        raise CommodoreError(
            f"this is a {other.name}, not a {kind.name}; nothing was changed",
            where=str(folder / NAME),
            hint=f"use `commodore {other.name} update`",
        )


def _refuse_changes(folder: Path) -> None:
    changes = [f"{happened} {path}" for happened, path in status(folder, untracked=True).changes]
    if changes:
        more = [f"and {len(changes) - _SHOWN} more"] if changes[_SHOWN:] else []
        raise CommodoreError(
            f"{folder} has uncommitted changes: " + "; ".join([*changes[:_SHOWN], *more]),
            where=str(folder),
            hint="commit them, or stash them with git stash --include-untracked",
        )


def _guessed(folder: Path, record: Record) -> dict[str, str]:
    """Variables that old records lack, derived from the repository."""
    klass = _yaml(folder / "class" / f"{record.text('slug')}.yml")
    filters = value_in(klass, "parameters", "commodore", "postprocess")
    guessed = {
        "add_lib": "y" if (folder / "lib").is_dir() else "n",
        "add_pp": "n" if filters is None else "y",
    }
    synced = _yaml(folder / ".sync.yml")
    if isinstance(synced, dict):
        licence = mapping(synced.get("LICENSE"))
        if isinstance(licence.get("holder"), str):
            guessed["copyright_holder"] = licence["holder"]
        guessed["copyright_year"] = str(licence.get("year") or "2021")
    return guessed


def _yaml(path: Path) -> object:
    try:
        # Constants of classes (`=key`) are plain strings to any reader of YAML.
        content: object = yaml.load(text_of(str(path)), name=str(path))
    except (OSError, ValueError, CommodoreError):
        return None
    return content
