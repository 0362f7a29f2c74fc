"""Update a component or package from its template: completely, or not at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from commodore_py.adapters import yaml
from commodore_py.adapters.git.program import git
from commodore_py.adapters.git.repository import is_repository
from commodore_py.adapters.git.status import status
from commodore_py.adapters.process import ProgramFailed
from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry, Tree

from .files import diff, git_identity, read_files, write_changes
from .merge import Conflict, Merged, merge, without
from .record import NAME, Record, skipped
from .source import OpenTemplates, templates
from .variables import TemplateOptions, apply_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from commodore_py.model.catalog import DiffLine

    from .kinds import RepositoryKind

SUBJECT: Final = "Update from template"
_RECORD: Final = PurePosixPath(NAME)
_SHORT: Final = 7
_SHOWN: Final = 20


class InConflict(CommodoreError):
    """The author and the template changed the same lines."""


@dataclass(frozen=True, slots=True)
class UpdateRequest:
    """What to update, to which version, with which other variables."""

    kind: RepositoryKind
    folder: Path
    version: str | None = None
    trust: bool = False
    options: TemplateOptions = field(default_factory=TemplateOptions)
    open: OpenTemplates = templates
    """How templates are opened: many repositories may share clones."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes that an update would make."""

    folder: Path
    record: Record
    changed: Mapping[PurePosixPath, Entry | None]
    conflicts: tuple[Conflict, ...]
    lines: tuple[DiffLine, ...]
    notes: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.changed or self.conflicts)

    def message(self) -> str:
        """The message of the commit."""
        version = f"{self.record.checkout or 'HEAD'} ({self.record.commit[:_SHORT]})"
        return f"{SUBJECT}\n\nTemplate version: {version}\n"

    def refuse_conflicts(self) -> None:
        """Refuse the update if there are conflicts."""
        if self.conflicts:
            files = "; ".join(f"{one.path} {one.why}" for one in self.conflicts)
            raise InConflict(
                f"the template's changes conflict with yours: {files}; nothing was changed",
                where=str(self.folder),
                hint="make the template's changes in these files and commit them; or exclude a"
                f" file with `skip` in {NAME}",
            )


def plan_update(wanted: UpdateRequest) -> Plan:
    """Plan the update of a repository to a version and options."""
    folder = wanted.folder.resolve()
    record = Record.read(folder)
    _refuse_no_repository(folder)
    record.required(wanted.kind.required, folder)
    wanted.kind.check(record.text("slug"))
    existing = {**dict(wanted.kind.fallbacks), **_guessed(folder, record), **record.variables}
    given = apply_options(existing, wanted.options)
    _refuse_changes(folder)

    version = wanted.version or record.checkout
    with wanted.open(record.template, record.directory, trust=wanted.trust) as opened:
        old, new = opened.at(record.commit), opened.at(version)
        old_variables = old.filled(existing)
        new_variables = new.filled(given.variables)
        old.announce(old_variables)
        new.announce(new_variables)
        before, after = old.render(old_variables), new.render(new_variables)
        after_record = replace(record, commit=new.commit, checkout=version, variables=new_variables)

    own = read_files(folder, {*before, *after})
    skips = [path for path in {*before, *after} if skipped(record, folder, path)]
    unwanted = [_RECORD, *skips]
    merged = merge(without(before, iter(unwanted)), without(after, iter(unwanted)), own)
    changed = dict(merged.changed)
    changed |= dict.fromkeys(_of_removed_cases(folder, wanted.options, merged))
    notes = [*given.notes, *_notes_about_kept(merged, changed)]
    if after_record.content() != (folder / NAME).read_bytes():
        changed[_RECORD] = Entry(after_record.content())
    conflicts = (*merged.conflicts, *_outside(folder, changed))
    lines = _shown(folder, changed)
    return Plan(folder, after_record, changed, conflicts, lines, tuple(notes))


def apply_update(plan: Plan, *, commit: bool) -> None:
    """Write the planned changes, and optionally commit them; failures are rolled back."""
    plan.refuse_conflicts()
    with _undone_on_failure(plan):
        write_changes(plan.folder, plan.changed)
        if commit and plan.changed:
            _commit(plan)


def _commit(plan: Plan) -> None:
    # The checkout was clean, so that all changes are ours.
    git(plan.folder, "add", "--all", "--", ".", ":!*.orig", ":!*.rej")
    # The user's Git hooks are for the user's commits.
    how = ("--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace")
    git(plan.folder, "commit", *how, "--message", plan.message(), env=git_identity(plan.folder))


@contextmanager
def _undone_on_failure(plan: Plan) -> Iterator[None]:
    own = read_files(plan.folder, {*plan.changed})
    try:
        yield
    except BaseException:
        write_changes(plan.folder, {path: own.get(path) for path in plan.changed})
        with suppress(ProgramFailed):
            git(plan.folder, "reset", "--quiet")
        raise


def _refuse_no_repository(folder: Path) -> None:
    if not is_repository(folder):
        raise CommodoreError(
            f"{folder} is not the root of a Git repository; nothing was changed",
            where=str(folder),
            hint="use the root of the repository",
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
    slug = record.text("slug")
    found = {"add_lib": "y" if (folder / "lib").is_dir() else "n"}
    klass = _yaml(folder / "class" / f"{slug}.yml")
    for key in ("parameters", "commodore", "postprocess"):
        klass = klass.get(key) if isinstance(klass, dict) else None
    found["add_pp"] = "n" if klass is None else "y"
    synced = _yaml(folder / ".sync.yml")
    licence = synced.get("LICENSE") if isinstance(synced, dict) else None
    if isinstance(licence, dict) and isinstance(licence.get("holder"), str):
        found["copyright_holder"] = licence["holder"]
    if isinstance(synced, dict):
        year = licence.get("year") if isinstance(licence, dict) else None
        found["copyright_year"] = str(year or "2021")
    return found


def _yaml(path: Path) -> object:
    try:
        # Constants of classes (`=key`) are plain strings to any reader of YAML.
        content: object = yaml.load(text_of(str(path)), name=str(path))
    except (OSError, ValueError, CommodoreError):
        return None
    return content


def _of_removed_cases(
    folder: Path, options: TemplateOptions, merged: Merged
) -> Iterator[PurePosixPath]:
    """Files of removed test cases, changed by the author or not."""
    for case in options.remove_cases:
        if case in options.add_cases:
            continue
        test = PurePosixPath("tests", f"{case}.yml")
        if test in merged.kept:
            yield test
        golden = folder / "tests" / "golden" / case
        for file in sorted(golden.rglob("*")) if golden.is_dir() else ():
            if file.is_file() or file.is_symlink():
                yield PurePosixPath(file.relative_to(folder))


def _notes_about_kept(
    merged: Merged, changed: Mapping[PurePosixPath, Entry | None]
) -> Iterator[str]:
    kept = [str(path) for path in merged.kept if path not in changed]
    if kept:
        yield ("removed from the template, but kept because you changed them: " + ", ".join(kept))


def _outside(folder: Path, changed: Mapping[PurePosixPath, Entry | None]) -> Iterator[Conflict]:
    for path in changed:
        place = folder / path
        parent = next(one for one in place.parents if one.exists())
        if not parent.resolve().is_relative_to(folder) or not parent.is_dir():
            yield Conflict(path, "is below a link or a file of yours")
        elif place.is_dir():
            yield Conflict(path, "is a folder in your repository")


def _shown(folder: Path, changed: Mapping[PurePosixPath, Entry | None]) -> tuple[DiffLine, ...]:
    before = read_files(folder, {*changed})
    after = Tree({path: entry for path, entry in changed.items() if entry is not None})
    return diff(before, after)
