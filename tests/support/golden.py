"""Golden cases: one YAML file each, with input and expected output; `--update` writes the output.

Files are a mapping from paths to contents: text, `!!binary`, `{link: target}` or
`{executable: text}`.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from commodore_py.errors import notes_of
from tests.support.builders import errors_in
from tests.support.tables import load_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.errors import CommodoreError

_UNPRINTABLE = re.compile(
    "[^\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


@dataclass(frozen=True)
class GoldenCase:
    """One case; `content` is what its file holds."""

    file: Path
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the file, without its ending."""
        return self.file.stem

    def write_files(self, folder: Path, key: str = "files") -> Path:
        """Write the files of a key into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in self.content.get(key, {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, content)
        return folder


@dataclass(frozen=True)
class Golden:
    """Compares output with what a case expects, or makes it what the case expects."""

    update: bool

    def check(self, case: GoldenCase, **actual: str | int | Mapping[str, str]) -> None:
        """Output by key of the case; an underscore stands for a space."""
        for name, value in actual.items():
            self.check_key(case, name.replace("_", " "), value)

    def check_key(self, case: GoldenCase, key: str, actual: str | int | Mapping[str, str]) -> None:
        """Output of one key."""
        if not self.update:
            assert actual == case.content[key]
        elif actual != case.content.get(key):
            text = case.file.read_text("utf-8")
            case.file.write_text(with_entry(text, key, actual), "utf-8")

    def check_file(self, file: Path, actual: str) -> None:
        """Output that is a file of its own."""
        if self.update:
            file.write_text(actual, "utf-8")
        assert actual == file.read_text("utf-8")


def golden_cases(folder: Path) -> list[GoldenCase]:
    """All cases in a folder, by name."""
    return [GoldenCase(file, load_yaml(file)) for file in sorted(folder.glob("*.yaml"))]


def shown_errors(error: CommodoreError) -> str:
    """An error, or several, as cases have them: with place, notes and hint."""
    shown = []
    for one in errors_in(error):
        lines = [f"error: {one}", *one.where.splitlines(), *notes_of(one), one.hint]
        shown.append("\n  ".join(filter(None, lines)) + "\n")
    return "".join(shown)


def with_entry(text: str, key: str, value: object) -> str:
    """The text of a case's file with another value of a key, or with one more key."""
    entry = re.compile(rf"^{re.escape(key)}:.*\n(?:(?: .*)?\n)*", re.MULTILINE)
    written = entry_text(key, value)
    if not entry.search(text):
        return text + written
    return entry.sub(lambda _: written, text, count=1)


def entry_text(key: str, value: object, indent: int = 0) -> str:
    """A key and its value as the files of cases have them."""
    start = " " * indent + _flow(key) + ":"
    if isinstance(value, bytes):
        return f"{start} !!binary {b64encode(value).decode()}\n"
    if isinstance(value, dict) and value and "link" not in value:
        inner = [entry_text(name, below, indent + 2) for name, below in value.items()]
        return "".join([f"{start}\n", *inner])
    if isinstance(value, str) and "\n" in value:
        return f"{start} {_lines(value, indent + 2)}\n"
    return f"{start} {_flow(value)}\n"


def _lines(text: str, indent: int) -> str:
    """A text of several lines: as a block, unless a block cannot hold it."""
    space = " " * indent
    if _UNPRINTABLE.search(text) or not text.strip("\n"):
        if text.find("\n") == len(text) - 1:
            return _quoted(text)
        # Its lines are written below each other; a space at the start of one is escaped.
        lines = [
            re.sub(r"^(?= )", r"\\", _quoted(line)[1:-1]) for line in text.splitlines(keepends=True)
        ]
        return f'"\\\n{space}' + f"\\\n{space}".join(lines) + '"'
    hint = "2" if text[0] in " \n" else ""
    chomp = "+" if text.endswith("\n\n") else "" if text.endswith("\n") else "-"
    lines = [space + line if line else "" for line in text.removesuffix("\n").split("\n")]
    return "\n".join([f"|{hint}{chomp}", *lines])


def _flow(value: object) -> str:
    """A value within a line."""
    if isinstance(value, str) and _UNPRINTABLE.search(value):
        return _quoted(value)
    listed = yaml.safe_dump([value], default_flow_style=True, width=10**6, allow_unicode=True)
    return listed.removesuffix("\n")[1:-1]


def _quoted(text: str) -> str:
    return _UNPRINTABLE.sub(
        lambda found: f"\\U{ord(found.group()):08x}", json.dumps(text, ensure_ascii=False)
    )


def _write(path: Path, content: str | bytes | Mapping[str, str]) -> None:
    match content:
        case str():
            path.write_bytes(content.encode())
        case bytes():
            path.write_bytes(content)
        case {"link": target}:
            path.symlink_to(target)
        case {"executable": text}:
            path.write_bytes(text.encode())
            path.chmod(0o755)
        case _:
            raise ValueError(f"{path}: not the content of a file")
