"""Render `jsonnetfile.jsonnet` of components to `jsonnetfile.json`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.files.reach import Reach
from commodore_py.adapters.git.program import succeeds
from commodore_py.adapters.jsonnet.evaluate import evaluate
from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.inventory import parameter_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Parameters

log = logging.getLogger(__name__)

SOURCE, TARGET = "jsonnetfile.jsonnet", "jsonnetfile.json"


def render_jsonnetfiles(components: Iterable[Dependency], parameters: Parameters) -> None:
    """Render the files of all components that have one."""
    errors: list[CommodoreError] = []
    rendered: list[tuple[Dependency, bytes]] = []
    for component in components:
        source = component.worktree / SOURCE
        if not source.is_file():
            continue
        read = Reach((component.worktree,)).content
        try:
            variables = _variables(component.spec.name, parameters)
            text = evaluate(source, read(str(source)), read=read, ext_vars=variables)
            text += "\n"  # Commodore writes an empty line as well.
            rendered.append((component, text.encode()))
        except CommodoreError as error:
            error.add_note(f"while rendering {SOURCE} of {component.spec}")
            errors.append(error)
    raise_collected(errors, "cannot render the lists of Jsonnet libraries")
    for component, content in rendered:
        _warn_if_tracked(component)
        write_if_changed(component.worktree / TARGET, content)


def _variables(component: str, parameters: Parameters) -> Mapping[str, str]:
    key = parameter_key(component)
    place = f"parameters.{key}.jsonnetfile_parameters"
    settings = parameters.get(key)
    given = settings.get("jsonnetfile_parameters") if isinstance(settings, Mapping) else None
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _not_text(component, given, place)
    raise_collected(
        [
            _not_text(component, value, f"{place}.{name}")
            for name, value in given.items()
            if not isinstance(name, str) or not isinstance(value, str)
        ],
        f"jsonnetfile parameters of component {component}",
    )
    return given


def _not_text(component: str, value: object, place: str) -> CommodoreError:
    kind = "a mapping" if place.endswith(".jsonnetfile_parameters") else "a string"
    return CommodoreError(
        f"component {component}: a jsonnetfile parameter is"
        f" {json.dumps(value, default=str)}, which is {type(value).__name__} and not {kind}",
        where=place,
        hint="put it in quotes"
        if kind == "a string"
        else "write a mapping of variables to strings",
    )


def _warn_if_tracked(component: Dependency) -> None:
    if succeeds(component.worktree, "ls-files", "--error-unmatch", "--", TARGET):
        log.warning(
            "%s has both %s and %s: the former is rendered over the latter",
            component.spec,
            SOURCE,
            TARGET,
            extra={
                "where": str(component.worktree),
                "hint": f"remove {TARGET} from the repository, and let Git ignore it",
            },
        )
