"""`.commodore-problems.toml`: which problems are ignored, and why."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.reading import text_of
from commodore_py.model.names import did_you_mean
from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.codes import CODES, is_known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME = ".commodore-problems.toml"
_TEXTS = {"code", "match", "reason"}
_KEYS = {*_TEXTS, "clusters"}
_REQUIRED = ("code", "reason")
_ENTRY = re.compile(r"\{(?=[^{}]*\bcode\b)|^\s*\[\[\s*ignore\s*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Problems that do not count: by code, and by a pattern of what they are about."""

    code: str
    """A code, or `area/*`."""
    match: str = ""
    """Glob over file, instance, field and `Kind namespace/name`; empty for all."""
    clusters: tuple[str, ...] = ()
    """Globs of cluster ids; empty for all."""
    reason: str = ""
    where: str = ""
    """File and line of the entry."""


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The content of such a file, and its problems."""

    ignores: tuple[Ignore, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_ignore_file(folder: Path) -> IgnoreFile:
    """The file of a repository, if it has one."""
    file = folder / NAME
    if not file.is_file():
        return IgnoreFile()
    try:
        return parse(text_of(str(file)), str(file))
    except (OSError, UnicodeDecodeError) as error:
        return IgnoreFile(problems=(_invalid(Place(str(file)), f"it cannot be read: {error}"),))


def parse(text: str, name: str) -> IgnoreFile:
    """The entries of a text, and problems instead of those that are invalid (pure)."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = re.search(r"line (\d+)", str(error))
        place = Place(name, int(match[1]) if match else 0)
        return IgnoreFile(problems=(_invalid(place, f"it is not valid TOML: {error}"),))
    lines = [text.count("\n", 0, match.end()) + 1 for match in _ENTRY.finditer(text)]
    entries = content.pop("ignore", [])
    problems = [_invalid(Place(name), f"unknown key {key}") for key in content]
    if not isinstance(entries, list):
        problems.append(_invalid(Place(name), "ignore is not a list of entries"))
        entries = []
    ignores: list[Ignore] = []
    for number, entry in enumerate(entries):
        place = Place(name, lines[number] if len(lines) == len(entries) else 0)
        wrong = list(_wrong(entry, place))
        problems += wrong
        if all(problem.code == "problems/unknown-code" for problem in wrong):
            ignores.append(_ignore(entry, place))
    return IgnoreFile(tuple(ignores), tuple(problems))


def _wrong(entry: object, place: Place) -> Iterator[Problem]:
    if not isinstance(entry, dict):
        yield _invalid(place, "an entry is not a table")
        return
    for key in _REQUIRED:
        if entry.get(key) in (None, ""):
            yield _invalid(place, f"an entry has no {key}", "each needs code and reason")
    for key, value in entry.items():
        if key not in _KEYS:
            yield _invalid(place, f"unknown key {key} in an entry")
        elif key in _TEXTS and not isinstance(value, str):
            yield _invalid(place, f"{key} is not a string")
        elif key == "clusters" and not (
            isinstance(value, list) and all(isinstance(name, str) for name in value)
        ):
            yield _invalid(place, "clusters is not a list of strings")
    code = entry.get("code")
    if isinstance(code, str) and code and not is_known(code):
        yield Problem.at(
            place,
            "problems/unknown-code",
            f"no problem has the code {code}",
            remedy=did_you_mean(
                code,
                [*CODES, *{f"{known_code.partition('/')[0]}/*" for known_code in CODES}],
                otherwise="the page 'Problem codes' of the documentation lists all codes",
            ),
            subject=code,
        )


def _ignore(entry: Mapping[str, Any], place: Place) -> Ignore:
    return Ignore(
        code=entry["code"],
        match=entry.get("match", ""),
        clusters=tuple(entry.get("clusters", ())),
        reason=entry["reason"],
        where=place.position,
    )


def _invalid(place: Place, what: str, remedy: str = "") -> Problem:
    return Problem.at(
        place, "problems/invalid-entry", what, remedy=remedy or "the entry has no effect: fix it"
    )
