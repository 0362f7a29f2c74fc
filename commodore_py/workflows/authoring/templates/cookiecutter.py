"""Render templates of cookiecutter, in a sandbox: only hooks run code."""

from __future__ import annotations

import json
import os
import re
import secrets
import string
import unicodedata
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from commodore_py.adapters import json_text
from commodore_py.adapters.files import is_executable
from commodore_py.adapters.jinja import Confined, rendered
from commodore_py.adapters.json_text import JsonError
from commodore_py.adapters.reading import content_of
from commodore_py.errors import CommodoreError
from commodore_py.model.git_names import has_git_name
from commodore_py.model.names import problem_of_path, shown
from commodore_py.model.tree import Entry, Tree

from .record import MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import jinja2

_BINARY_SAMPLE: Final = 8000
_MOST_RANDOM: Final = 10_000
_OPTIONS: Final[dict[str, type | tuple[type, ...]]] = {
    "trim_blocks": bool,
    "lstrip_blocks": bool,
    "keep_trailing_newline": bool,
    "autoescape": bool,
    "newline_sequence": str,
    "block_start_string": str,
    "block_end_string": str,
    "variable_start_string": str,
    "variable_end_string": str,
    "comment_start_string": str,
    "comment_end_string": str,
    "line_statement_prefix": (str, type(None)),
    "line_comment_prefix": (str, type(None)),
}
"""Of Jinja, those that a template may choose."""
_HOOKS: Final = ("pre_prompt", "pre_gen_project", "post_gen_project")


@dataclass(frozen=True, slots=True)
class Hook:
    """A program that a template runs."""

    stage: str
    file: Path

    def __str__(self) -> str:
        return f"hooks/{self.file.name}"


def filled(folder: Path, given: Mapping[str, object]) -> dict[str, object]:
    """All variables of a template in its order: those given, and the rest by its defaults."""
    declared = _declared(folder)
    known: dict[str, object] = {}
    environment = _environment(declared)
    # Dictionaries may use any plain variable, so they come last.
    for late in (False, True):
        for name, default in declared.items():
            if name.startswith("_") and not name.startswith("__"):
                known[name] = default
            elif isinstance(default, dict) is late and name != "__prompts__":
                raw = default if name.startswith("__") else _chosen(name, default, given)
                known[name] = _rendered(environment, raw, known, name)
    return {name: known[name] for name in declared if name in known}


def hooks_of(folder: Path) -> tuple[Hook, ...]:
    """The programs of a template, in the order in which they run."""
    hooks = folder / "hooks"
    files = sorted(hooks.iterdir()) if hooks.is_dir() else []
    return tuple(
        Hook(stage, file)
        for stage in _HOOKS
        for file in files
        if file.stem == stage and not file.name.endswith("~")
    )


def render(folder: Path, variables: Mapping[str, object]) -> Tree:
    """The files of a repository, before any hook."""
    top = _top(folder)
    context = {"cookiecutter": variables}
    environment = _environment(variables, folder=top)
    copied = [str(one) for one in _list(variables.get("_copy_without_render"))]
    newline = variables.get("_new_lines")
    found: dict[PurePosixPath, Entry] = {}
    for file in _files(top, folder):
        inner = file.relative_to(top)
        name = _text(environment, str(inner), context, inner)
        path = PurePosixPath(name)
        if not path.name or name.endswith("/"):
            continue  # a name that came out empty is the template's way to leave a file out
        problem = problem_of_path(name)
        if problem:
            raise CommodoreError(
                f"the template would write {shown(name)}: its path {problem}",
                where=shown(str(inner)),
            )
        if path.is_absolute() or ".." in path.parts or has_git_name(name):
            raise CommodoreError(
                f"the template would write {name}, outside of the repository", where=str(inner)
            )
        content = content_of(file)
        raw = _copies(inner, copied) or _is_binary(content)
        if not raw:
            text = _text(environment, content.decode(), context, inner)
            end = newline if isinstance(newline, str) and newline else _newline_of(content)
            content = text.replace("\n", end).encode()
        found[path] = Entry(content, executable=is_executable(file))
    return Tree(found)


def script_of(hook: Hook, variables: Mapping[str, object]) -> str:
    """What a hook does: its text, rendered."""
    environment = _environment(variables)
    text = _read(hook.file, hook.file.parents[1])
    if hook.stage == _HOOKS[0]:
        return text  # it runs before variables are known
    return _text(environment, text, {"cookiecutter": variables}, Path(str(hook)))


def _declared(folder: Path) -> dict[str, Any]:
    path = folder / "cookiecutter.json"
    if not path.is_file():
        raise CommodoreError("not a cookiecutter template: there is no cookiecutter.json")
    try:
        content = json_text.load(_read(path, folder), name=str(path), levels=MOST_LEVELS)
    except ValueError as error:
        where = error.where if isinstance(error, JsonError) else str(path)
        raise CommodoreError(f"not a cookiecutter template: {error}", where=where) from error
    if not isinstance(content, dict):
        raise CommodoreError("not a cookiecutter template: cookiecutter.json is not an object")
    if content.get("_extensions"):
        names = ", ".join(str(one) for one in _list(content["_extensions"]))
        raise CommodoreError(
            f"the template needs Jinja extensions, which are not supported: {names}",
            hint="update such a repository with cruft",
        )
    return content


def _chosen(name: str, default: object, given: Mapping[str, object]) -> object:
    """The value of a variable: given, or the default; one of a list."""
    value = given.get(name, default)
    if isinstance(default, list):
        if name not in given:
            return default[0] if default else ""
        if value not in default:
            raise CommodoreError(
                f"invalid value for {name}: {value!r}",
                hint=f"one of {', '.join(map(str, default))}",
            )
    if isinstance(default, bool) and isinstance(value, str):
        return value.lower() in ("1", "true", "t", "yes", "y", "on")
    if isinstance(default, dict) and isinstance(value, Mapping):
        return {**default, **value}
    return value


def _rendered(
    environment: jinja2.Environment, raw: object, known: Mapping[str, object], name: str
) -> object:
    match raw:
        case None | bool():
            return raw
        case dict():
            return {
                str(_rendered(environment, key, known, name)): _rendered(
                    environment, value, known, name
                )
                for key, value in raw.items()
            }
        case list():
            return [_rendered(environment, one, known, name) for one in raw]
    return _text(environment, str(raw), {"cookiecutter": known}, Path(name))


def _text(
    environment: jinja2.Environment, template: str, context: Mapping[str, object], where: Path
) -> str:
    return rendered(lambda: environment.from_string(template), context, str(where))


def _environment(
    variables: Mapping[str, object], *, folder: Path | None = None
) -> jinja2.Environment:
    import jinja2  # not for --help

    options = _options(variables.get("_jinja2_env_vars"))
    try:
        environment = Confined(
            **{"keep_trailing_newline": True, **options},
            undefined=jinja2.StrictUndefined,
            loader=jinja2.FunctionLoader(partial(_source, folder)),
        )
    except (AssertionError, TypeError, ValueError) as error:
        raise CommodoreError(f"invalid _jinja2_env_vars of the template: {error}") from error
    environment.filters["jsonify"] = lambda value, indent=4: json.dumps(
        value, sort_keys=True, indent=indent
    )
    environment.filters["slugify"] = _slugified
    environment.globals["random_ascii_string"] = _random_text
    environment.globals["uuid4"] = lambda: str(uuid.uuid4())
    return environment


def _options(wanted: object) -> dict[str, Any]:
    """How a template is written; others of Jinja's options would load any module."""
    options = {str(k): v for k, v in wanted.items()} if isinstance(wanted, Mapping) else {}
    for name, value in options.items():
        kind = _OPTIONS.get(name)
        if kind is None or not isinstance(value, kind):
            raise CommodoreError(
                f"_jinja2_env_vars of the template has {name}, which is not supported"
                if kind is None
                else f"_jinja2_env_vars.{name} of the template is not a valid value: {value!r}",
                hint=f"supported are {', '.join(_OPTIONS)}",
            )
    return options


def _source(top: Path | None, name: str) -> tuple[str, str, None] | None:
    """A template that another one includes, as Jinja's loaders return it."""
    from jinja2.loaders import split_template_path  # not for --help

    if top is None:
        return None
    for place in (top, top.parent / "templates"):
        path = place.joinpath(*split_template_path(name))
        if path.is_file():
            return _read(path, top.parent), str(path), None
    return None


def _slugified(value: object, separator: str = "-") -> str:
    plain = unicodedata.normalize("NFKD", str(value)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", separator, plain.lower()).strip(separator)


def _random_text(length: int, punctuation: bool = False) -> str:  # noqa: FBT001, FBT002 - templates
    if length > _MOST_RANDOM:
        raise ValueError(f"a random text of more than {_MOST_RANDOM:,} characters")
    letters = string.ascii_letters + (string.punctuation if punctuation else "")
    return "".join(secrets.choice(letters) for _ in range(length))


def _top(folder: Path) -> Path:
    for path in sorted(folder.iterdir()):
        name = path.name
        if path.is_dir() and "cookiecutter" in name and "{{" in name and "}}" in name:
            return path
    raise CommodoreError(
        "not a cookiecutter template: no folder has a Jinja expression as its name",
        where=str(folder),
    )


def _files(top: Path, folder: Path) -> Iterator[Path]:
    for path in sorted(top.rglob("*")):
        _check_inside(path, folder)
        if path.is_file():
            yield path


def _read(path: Path, folder: Path) -> str:
    """The text of a file of a template; a `ValueError` if it is none."""
    _check_inside(path, folder)
    return content_of(path).decode()


def _check_inside(path: Path, folder: Path) -> None:
    real, whole = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath((real, whole)) != whole:
        raise CommodoreError(f"the template has a link to a file outside of it: {path.name}")


def _copies(path: Path, patterns: list[str]) -> bool:
    parts = [path, *path.parents][:-1]
    return any(fnmatch(str(part), pattern) for part in parts for pattern in patterns)


def _is_binary(content: bytes) -> bool:
    if b"\0" in content[:_BINARY_SAMPLE]:
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return True
    return False


def _newline_of(content: bytes) -> str:
    first = content.partition(b"\n")[0]
    return "\r\n" if first.endswith(b"\r") else "\n"


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
