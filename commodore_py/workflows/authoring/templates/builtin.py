"""The built-in templates: versions as folders of files, which never change."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from commodore_py.adapters.files import read_tree
from commodore_py.errors import CommodoreError
from commodore_py.lib import TEMPLATES
from commodore_py.model.tree import Entry, Tree

from .kinds import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import jinja2

_NEWEST: Final = ("main", "HEAD")
_CASE: Final = "case"
# With their real names, Git, editors and packagers would use them.
_DOT: Final = "dot-"


@dataclass(frozen=True)
class BuiltIn:
    """One version of a template of ours."""

    url: str
    version: str
    folder: Path

    @cached_property
    def commit(self) -> str:
        """What identifies this version: a digest of all its files, as long as a commit."""
        digest = hashlib.sha256()
        for path, entry in read_tree(self.folder).items():
            digest.update(f"{path}\0{entry.digest}\0".encode())
        return digest.hexdigest()[:40]

    @cached_property
    def _about(self) -> Mapping[str, Any]:
        return tomllib.loads((self.folder / "template.toml").read_text("utf-8"))

    @cached_property
    def _environment(self) -> jinja2.Environment:
        import jinja2  # not for --help

        environment = jinja2.Environment(  # noqa: S701 - what is written is not HTML
            # Not used in any Makefile, workflow, Jsonnet or AsciiDoc that we write.
            block_start_string="<%",
            block_end_string="%>",
            variable_start_string="<<",
            variable_end_string=">>",
            comment_start_string="<#",
            comment_end_string="#>",
            trim_blocks=True,
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        )
        environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
        return environment

    def filled(self, given: Mapping[str, object]) -> dict[str, object]:
        """All variables of the template in its order: given ones, and defaults for the others."""
        known: dict[str, object] = {}
        for name, default in self._about["variables"].items():
            value = given.get(name)
            worked_out = value is None or name.startswith("_")
            known[name] = (
                self._text(default, known | ({"slug": given["slug"]} if "slug" in given else {}))
                if worked_out
                else value
            )
        for name, choices in self._about["choices"].items():
            if known[name] not in choices:
                raise CommodoreError(
                    f"invalid value for {name}: {known[name]!r}",
                    hint=f"one of {', '.join(choices)}",
                )
        return known

    def announce(self, variables: Mapping[str, object]) -> None:
        """Nothing: built-in templates have no hooks."""

    def render(self, variables: Mapping[str, object]) -> Tree:
        """The files of a repository with these variables."""
        rules = self._about["files"]
        found: dict[PurePosixPath, Entry] = {}
        for path, entry in read_tree(self.folder / "files").items():
            rule = rules.get(str(path), {})
            condition = rule.get("when")
            if condition and not self._environment.compile_expression(condition)(**variables):
                continue
            if path.parts[0] == "licenses" and not rule:
                continue
            for more in _repeated(rule.get("each"), variables):
                here = {**variables, **more}
                name = self._text(rule.get("to", str(path)), here)
                text = self._text(entry.content.decode(), here)
                found[_with_dots(name)] = Entry(text.encode())
        return Tree(found)

    def _text(self, template: str, variables: Mapping[str, object]) -> str:
        return self._environment.from_string(template).render(**variables)


def versions(kind: str) -> tuple[BuiltIn, ...]:
    """All versions of a template of ours, oldest first."""
    folder = TEMPLATES / kind
    names = sorted((path.name for path in folder.iterdir() if path.name.isdigit()), key=int)
    return tuple(BuiltIn(BUILT_IN + kind, name, folder / name) for name in names)


def find(url: str, version: str | None) -> BuiltIn:
    """A version by its number, its digest or as the newest."""
    kind = url.removeprefix(BUILT_IN)
    if not (TEMPLATES / kind).is_dir() or not kind.isalpha():
        raise CommodoreError(f"there is no built-in template {kind!r}", where=url)
    known = versions(kind)
    if version is None or version in _NEWEST:
        return known[-1]
    for one in known:
        if version in (one.version, one.commit):
            return one
    raise CommodoreError(
        f"the built-in {kind} template has no version {version}",
        where=url,
        hint=f"available: {', '.join(one.version for one in known)}; a newer commodore may have"
        " more",
    )


def _repeated(each: str | None, variables: Mapping[str, object]) -> Iterator[dict[str, str]]:
    if each is None:
        yield {}
        return
    for case in str(variables[each]).split():
        yield {_CASE: case}


def _with_dots(name: str) -> PurePosixPath:
    parts = PurePosixPath(name).parts
    return PurePosixPath(*(f".{p[len(_DOT) :]}" if p.startswith(_DOT) else p for p in parts))
