"""`new`, `update` and `delete` of components and packages."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from commodore_py.cli.output import formats, messages, streams
from commodore_py.cli.settings.options import Globals, config_of
from commodore_py.cli.settings.template_options import AUTOMERGE_LISTS, FEATURES
from commodore_py.dependencies.protection.authoring import (
    BRANCH,
    checkout_problem,
    delete_checkout,
    local_work,
)
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.workflows.authoring.templates.kinds import (
    COMPONENT,
    RepositoryKind,
    TemplateOptions,
    assignments,
)
from commodore_py.workflows.authoring.templates.merge import take
from commodore_py.workflows.authoring.templates.repositories import (
    Made,
    make_repository,
    prepare_update,
)
from commodore_py.workflows.authoring.templates.source import open_templates
from commodore_py.workflows.starting import bare_beside, empty_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commodore_py.config import Config


_OWNER: Final = "projectsyn"


def new(kind: RepositoryKind, settings: Globals, options: Mapping[str, Any]) -> None:
    """Create a repository and print its files."""
    name = options["name"] or options["slug"]
    slug = options["slug"]
    kind.check(slug)
    messages.heading(f"Adding {kind.name} {name}...")
    config = config_of(settings)
    source = click.get_current_context().get_parameter_source("owner")
    by_default = source is ParameterSource.DEFAULT
    bare = bare_beside(config.paths.root, f"{kind.prefix}{slug}.git") if by_default else None
    made = make_repository(
        *(config, kind, slug),
        template=options["template_url"],
        version=options["template_version"],
        year=_this_year(),
        name=options["name"] or "",
        owner=options["owner"] or _OWNER,
        url=bare.as_uri() if bare is not None else "",
        output_dir=options["output_dir"],
        trust=options["trust"],
        options=_template_options(options),
    )
    if bare is not None:
        empty_repository(bare)
    _print_notes(made.notes)
    streams.result(formats.diff_lines(made.lines))
    streams.result(f"{kind.name.capitalize()} {name} successfully added 🎉", bold=True)
    messages.info(f"Created in {made.place}")
    if bare is not None:
        messages.info(f"Its repository is {bare}; for one at GitHub: --owner NAME")
    elif by_default:
        messages.info(
            f"The owner is {_OWNER}; to choose another: --owner NAME, or `owner` in section"
            f" [{kind.name}.new] of the settings file"
        )
    _print_next_steps(kind, made, slug, bare)


def _print_next_steps(kind: RepositoryKind, made: Made, slug: str, bare: Path | None) -> None:
    place = shlex.quote(os.path.relpath(made.place))
    messages.plain(f"\nNext steps:\n  commodore {kind.name} test {place}")
    if bare is not None:
        entry = shlex.quote(f"{{url: {made.url}, version: {BRANCH}}}")
        messages.plain(
            f"  git -C {place} push origin {BRANCH}\n"
            f"  commodore edit set {kind.name}s.{slug} {entry} --commit\n"
            f"  commodore edit add applications {kind.folder_prefix}{slug} --commit --push\n"
            "  commodore catalog compile"
        )
    else:
        messages.plain(
            f"  git -C {place} push origin {BRANCH}    # to {made.url}\n"
            # Without indentation: these lines are pasted into a file.
            "Then add it to the configuration of a tenant or a cluster:\n\n"
            f"{kind.requested(slug, made.url, BRANCH)}"
        )


def update(kind: RepositoryKind, folder: Path, options: Mapping[str, Any]) -> None:
    """Update a repository, and print what was changed."""
    changes = _template_options(options)
    with open_templates(trust=options["trust"]) as opened:
        update = prepare_update(kind, folder, options["template_version"], changes, opened)
    _print_notes(update.notes)
    if update.commit:
        take(update.folder, update.commit, commit=options["commit"])
    streams.result(formats.diff_lines(update.lines))
    if update.commit and not options["commit"]:
        messages.info("Not committed because of --no-commit")
    done = "successfully updated 🎉" if update.commit else "already up-to-date 🎉"
    streams.result(f"{kind.name.capitalize()} {update.record.text('name')} {done}", bold=True)


def delete(ctx: click.Context, slug: str, *, force: bool) -> None:
    """Delete a component's checkout, after a prompt."""
    COMPONENT.check(slug)
    config = config_of(ctx.obj, force=force)
    place = COMPONENT.place(config.paths, slug)
    if not place.is_dir() and not place.is_symlink():
        raise click.BadParameter(
            f"component {slug} is not checked out: {place} does not exist", ctx, param_hint="SLUG"
        )
    _refuse_deletion(config, slug, place)
    question = f"Are you sure you want to delete component {slug}? This action cannot be undone"
    undone = "nothing was deleted"
    if not force and not messages.confirm(question, undone=undone, in_advance="--force"):
        raise CommodoreError(f"Aborted! {undone}", hint="to delete without a question: --force")
    with exclusive_run(config.paths):
        _refuse_deletion(config, slug, place)  # again: the prompt may have taken a while
        kept = delete_checkout(config.paths, f"component {slug}", place)
    if kept is not None:
        messages.info(f"{kept} is kept: it contains other branches")
    streams.result(f"Component {slug} successfully deleted 🎉", bold=True)


def _refuse_deletion(config: Config, slug: str, place: Path) -> None:
    """Refuse what is not a checkout, and without --force one that holds local work."""
    what = f"component {slug}"
    problem = checkout_problem(what, place)
    if problem is None and not config.force:
        problem = local_work(config.paths, what, place)
    if problem is not None:
        raise problem


def _template_options(options: Mapping[str, Any]) -> TemplateOptions:
    values = {}
    for name, (variable, _) in FEATURES.items():
        is_on = options.get(name.replace("-", "_"))
        if is_on is not None:
            values[variable] = "y" if is_on else "n"
    if options["copyright_holder"]:
        values["copyright_holder"] = options["copyright_holder"]
    if options.get("update_copyright_year"):
        values["copyright_year"] = str(_this_year())
    return TemplateOptions(
        values,
        assignments(options.get("set", ())),
        options["additional_test_case"],
        options.get("remove_test_case", ()),
        add=_entries(options, "add"),
        remove=_entries(options, "remove"),
    )


def _entries(options: Mapping[str, Any], verb: str) -> dict[str, list[str]]:
    """Entries of lists of dependencies; names are anchored, but not escaped."""
    lists = {}
    for kind, (variable, _) in AUTOMERGE_LISTS.items():
        start = f"{verb}_automerge_{kind.replace('-', '_')}"
        names, patterns = options.get(f"{start}_depname", ()), options.get(f"{start}_pattern", ())
        if entries := [*(f"^{name}$" for name in names), *patterns]:
            lists[variable] = entries
    return lists


def _print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        messages.info(note)


def _this_year() -> int:
    return datetime.now().astimezone().year
