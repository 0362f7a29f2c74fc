"""Jinja2 templates in component code, with Kapitan's settings and filters.

Imported when a template is rendered: hardly any component has one.
"""

from __future__ import annotations

import logging
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
from jinja2.loaders import split_template_path

from commodore_py.adapters.jinja import Confined, rendered

from .files import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from commodore_py.adapters.files.view import Files

_CUSTOM_FILTERS = "lib/jinja2_filters.py"


def render(files: Files, path: str, context: Any) -> str:  # noqa: ANN401 - what the template reads
    """The text of a template that was found; what it includes is looked for beside it first."""
    files.unseal("filters of Jinja2 may look at the disk and the clock")
    folder, name = posixpath.split(path)
    loader = _Loader((Path(folder), *files.search_paths), files)
    environment = Confined(
        undefined=jinja2.StrictUndefined,
        loader=loader,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    _add_filters(environment)
    return rendered(lambda: environment.get_template(name), context, path)


class _Loader(jinja2.BaseLoader):
    """Templates by name, through the same door as all other files."""

    def __init__(self, folders: tuple[Path, ...], files: Files) -> None:
        self._folders = folders
        self._files = files

    def get_source(
        self,
        environment: jinja2.Environment,  # noqa: ARG002 - jinja2's signature
        template: str,
    ) -> tuple[str, str, Callable[[], bool]]:
        """The first template of that name."""
        pieces = split_template_path(template)
        for folder in self._folders:
            path = folder.joinpath(*pieces)
            if self._files.kind(path) == "file":
                content = self._files.read(path) or b""
                return decoded(content, str(path)), str(path), lambda: True
        raise jinja2.TemplateNotFound(template)


def _add_filters(environment: jinja2.Environment) -> None:
    root = logging.getLogger()
    # Kapitan sets up logging when it is imported, unless there is a handler.
    handler = logging.NullHandler()
    root.addHandler(handler)
    try:
        from kapitan.utils import (
            load_jinja2_filters,
            load_jinja2_filters_from_file,
        )
    finally:
        root.removeHandler(handler)
    load_jinja2_filters(environment)
    # Nothing is revealed while compiling.
    environment.filters["reveal_maybe"] = lambda reference: reference
    load_jinja2_filters_from_file(environment, _CUSTOM_FILTERS)
