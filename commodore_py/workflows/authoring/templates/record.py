"""`.cruft.json`: the template and the variables that a repository was created from."""

from __future__ import annotations

import json
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Final

from commodore_py.adapters import json_text
from commodore_py.adapters.reading import text_of
from commodore_py.errors import CommodoreError
from commodore_py.manifests.objects import mapping, text, texts, value_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path, PurePosixPath

    from commodore_py.model.tree import Tree

NAME: Final = ".cruft.json"
MOST_LEVELS: Final = 100
"""How deep variables of a template may be nested."""
_OURS: Final = ("template", "commit", "checkout", "context", "directory")
_ADDED: Final = ("_template", "_commit")


class NoRecord(CommodoreError):
    """A folder without a record of its template, or with an invalid one."""


@dataclass(frozen=True, slots=True)
class Record:
    """The template and variables of a repository, in the template's order."""

    template: str
    commit: str
    checkout: str | None
    variables: Mapping[str, object]
    directory: str | None = None
    more: Mapping[str, object] = field(default_factory=dict)
    """What else is in the file, `skip` above all; it stays there."""

    @classmethod
    def read(cls, folder: Path) -> Record:
        """The record of a repository."""
        path = folder / NAME
        try:
            content = json_text.load(text_of(str(path)), name=str(path), levels=MOST_LEVELS)
        except FileNotFoundError as error:
            raise NoRecord(
                f"{folder} was not created from a template: it has no {NAME}",
                where=str(folder),
                hint="use a folder that was created by `new`, or add the record of the template",
            ) from error
        except (ValueError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise NoRecord(f"cannot read {NAME}: {reason}", where=str(path)) from error
        fields = mapping(content)
        variables = value_in(fields, "context", "cookiecutter")
        for key, value, kind in (
            ("template", fields.get("template"), str),
            ("commit", fields.get("commit"), str),
            ("context.cookiecutter", variables, dict),
        ):
            if not isinstance(value, kind):
                raise NoRecord(f"{NAME} has no {key}", where=str(path))
        checkout, directory = fields.get("checkout"), fields.get("directory")
        return cls(
            fields["template"],
            fields["commit"],
            checkout if isinstance(checkout, str) else None,
            {name: value for name, value in (variables or {}).items() if name not in _ADDED},
            directory if isinstance(directory, str) else None,
            {key: value for key, value in fields.items() if key not in _OURS},
        )

    def content(self) -> bytes:
        """The file, as it is written."""
        fields = {
            "template": self.template,
            "commit": self.commit,
            "checkout": self.checkout,
            "context": {
                "cookiecutter": {
                    **self.variables,
                    "_template": self.template,
                    "_commit": self.commit,
                }
            },
            "directory": self.directory,
            **self.more,
        }
        return (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode()

    def text(self, name: str) -> str:
        """A variable that is a text, empty where there is none."""
        return text(self.variables.get(name))

    def refuse_missing(self, names: Iterable[str], folder: Path) -> None:
        """Refuse a record without required variables."""
        missing = [name for name in names if name not in self.variables]
        if missing:
            raise NoRecord(
                f"{NAME} lacks variables: {', '.join(missing)}",
                where=str(folder / NAME),
                hint="add them to context.cookiecutter",
            )


def skipped(tree: Tree, record: Record, folder: Path) -> set[PurePosixPath]:
    """The paths that updates skip, by the record or by `pyproject.toml`."""
    patterns = texts(record.more.get("skip"))
    with suppress(OSError, ValueError, RecursionError):
        settings = tomllib.loads(text_of(str(folder / "pyproject.toml")))
        patterns += texts(value_in(settings, "tool", "cruft", "skip"))
    # Every path is below an empty one.
    patterns = [pattern for pattern in patterns if pattern.strip("/")]
    return {
        path
        for path in tree
        for pattern in patterns
        if path.is_relative_to(pattern.rstrip("/")) or fnmatch(str(path), pattern)
    }
