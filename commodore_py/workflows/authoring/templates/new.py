"""Create a component or package: render it first, create its repository last."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_tree
from commodore_py.adapters.git_urls import normalise
from commodore_py.catalog.identity import committer
from commodore_py.config import Author
from commodore_py.dependencies.protection.authoring import (
    FirstCommit,
    begin_repository,
    begin_worktree,
)
from commodore_py.dependencies.protection.run_lock import exclusive_run
from commodore_py.errors import CommodoreError
from commodore_py.model.tree import Entry, Tree

from .merge import diff, git_identity
from .record import NAME, Record
from .source import open_templates, recorded_url
from .variables import TemplateOptions, apply_options, refuse_unknown

if TYPE_CHECKING:
    from commodore_py.config import Config
    from commodore_py.model.catalog import DiffLine

    from .kinds import RepositoryKind

MESSAGE = "Initial commit"


@dataclass(frozen=True, slots=True)
class NewRepository:
    """A repository to create, and its template."""

    kind: RepositoryKind
    slug: str
    template: str
    version: str
    year: int
    owner: str
    name: str = ""
    output_dir: str = ""
    url: str = ""
    """The remote; empty for that of the owner at GitHub."""
    trust: bool = False
    options: TemplateOptions = field(default_factory=TemplateOptions)


@dataclass(frozen=True, slots=True)
class Made:
    """A repository that was created."""

    place: Path
    url: str
    """The remote, which does not exist yet."""
    lines: tuple[DiffLine, ...]
    notes: tuple[str, ...]


def make_repository(config: Config, request: NewRepository) -> Made:
    """Render a template and create a repository from it; a failure leaves nothing behind."""
    request.kind.check(request.slug)
    place = _place(config, request)
    url = request.url or request.kind.remote(request.owner, request.slug)
    who = committer(Author(), config.paths.root)
    given = apply_options(
        {
            "copyright_holder": f"{who.name} <{who.email}>",
            "name": request.name or request.slug,
            "slug": request.slug,
            "github_owner": request.owner,
            "copyright_year": str(request.year),
        },
        request.options,
    )
    with open_templates(trust=request.trust) as templates:
        template = templates.at(recorded_url(request.template), request.version)
        (rendered,) = templates.render((template, given.variables))
    refuse_unknown(request.options.set, rendered.variables, template.url)
    record = Record(template.url, template.commit, request.version, rendered.variables)
    tree = rendered.files | Tree({PurePosixPath(NAME): Entry(record.content())})
    lines = diff(Tree(), tree)
    with tempfile.TemporaryDirectory(prefix="commodore-new-") as scratch:
        content = Path(scratch) / "content"
        write_tree(content, tree)
        first = FirstCommit(content, MESSAGE, git_identity(config.paths.root))
        if place.is_relative_to(config.paths.dependencies.resolve()):
            config.paths.dependencies.mkdir(parents=True, exist_ok=True)
            with exclusive_run(config.paths):
                begin_worktree(config.paths, place, url, first)
        else:
            begin_repository(place, url, first)
    return Made(place, normalise(url), lines, given.notes)


def _place(config: Config, request: NewRepository) -> Path:
    if not request.output_dir:
        place = request.kind.place(config.paths, request.slug).resolve()
    else:
        parent = Path(request.output_dir)
        if not parent.is_dir():
            raise CommodoreError(
                f"the output directory {request.output_dir} does not exist",
                hint="create it, or choose a directory that exists",
            )
        place = parent.resolve() / request.slug
    if place.exists() or place.is_symlink():
        raise CommodoreError(
            f"{place} already exists; nothing was changed",
            hint=f"choose another slug, or update it: commodore {request.kind.name} update {place}",
        )
    return place
