"""`.commodore-problems.toml`: which problems are ignored, why and until when."""

from __future__ import annotations

import re
import tomllib
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters.reading import text_of
from commodore_py.model.problem import Place, Problem
from commodore_py.model.problems.codes import CODES, is_known
from commodore_py.model.problems.tolerance import Ignore

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME = ".commodore-problems.toml"
_TEXTS = {"code", "match", "reason"}
_KEYS = {*_TEXTS, "clusters", "until"}
_REQUIRED = ("code", "reason", "until")
_ENTRY = re.compile(r"\{(?=[^{}]*\bcode\b)|^\s*\[\[\s*ignore\s*\]\]", re.MULTILINE)


class IgnoreFile(NamedTuple):
    """What such a file says, and what is wrong with it."""

    ignores: tuple[Ignore, ...] = ()
    problems: tuple[Problem, ...] = ()
    delegated: tuple[str, ...] = ()
    """Codes that a tenant's file may ignore."""


def read_ignore_file(folder: Path, *, delegated: tuple[str, ...] | None = None) -> IgnoreFile:
    """The file of a repository, if it has one; `delegated` for a tenant's."""
    file = folder / NAME
    if not file.is_file():
        return IgnoreFile()
    try:
        return parse(text_of(str(file)), str(file), delegated=delegated)
    except (OSError, UnicodeDecodeError) as error:
        return IgnoreFile(problems=(_invalid(Place(str(file)), f"it cannot be read: {error}"),))


def parse(text: str, name: str, *, delegated: tuple[str, ...] | None = None) -> IgnoreFile:
    """The entries of a text, and problems instead of those that are invalid (pure)."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        place = Place(name, int(found[1]) if found else 0)
        return IgnoreFile(problems=(_invalid(place, f"it is not valid TOML: {error}"),))
    lines = [text.count("\n", 0, found.end()) + 1 for found in _ENTRY.finditer(text)]
    entries = content.pop("ignore", [])
    problems = [
        _invalid(Place(name), f"unknown key {key}")
        for key in content
        if key != "delegate" or delegated is not None
    ]
    codes = content.get("delegate", []) if delegated is None else []
    if not isinstance(codes, list) or not all(isinstance(one, str) for one in codes):
        problems.append(_invalid(Place(name), "delegate is not a list of codes"))
        codes = []
    if not isinstance(entries, list):
        problems.append(_invalid(Place(name), "ignore is not a list of entries"))
        entries = []
    ignores: list[Ignore] = []
    for number, entry in enumerate(entries):
        place = Place(name, lines[number] if len(lines) == len(entries) else 0)
        wrong = list(_wrong(entry, place))
        problems += wrong
        if all(one.code == "problems/unknown-code" for one in wrong):
            ignores.append(_ignore(entry, place, delegated))
    return IgnoreFile(tuple(ignores), tuple(problems), tuple(codes))


def _wrong(entry: object, place: Place) -> Iterator[Problem]:
    if not isinstance(entry, dict):
        yield _invalid(place, "an entry is not a table")
        return
    for key in _REQUIRED:
        if entry.get(key) in (None, ""):
            yield _invalid(place, f"an entry has no {key}", "each needs code, reason and until")
    for key, value in entry.items():
        if key not in _KEYS:
            yield _invalid(place, f"unknown key {key} in an entry")
        elif key in _TEXTS and not isinstance(value, str):
            yield _invalid(place, f"{key} is not a string")
        elif key == "until" and (not isinstance(value, date) or isinstance(value, datetime)):
            yield _invalid(place, f"until is not a date: {value!r}", "write it as 2027-03-31")
        elif key == "clusters" and not _is_texts(value):
            yield _invalid(place, "clusters is not a list of strings")
    code = entry.get("code")
    if isinstance(code, str) and code and not is_known(code):
        yield Problem.at(
            place,
            "problems/unknown-code",
            f"no problem has the code {code}",
            remedy=nearest(code),
            subject=code,
        )


def nearest(code: str) -> str:
    """The code that is probably meant."""
    from difflib import get_close_matches

    areas = {f"{one.partition('/')[0]}/*" for one in CODES}
    near = get_close_matches(code, [*CODES, *areas], n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "docs/reference/problems.md lists all codes"


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _ignore(entry: Mapping[str, Any], place: Place, delegated: tuple[str, ...] | None) -> Ignore:
    code = entry["code"]
    area = f"{code.partition('/')[0]}/*"
    return Ignore(
        code=code,
        match=entry.get("match", ""),
        clusters=tuple(entry.get("clusters", ())),
        reason=entry["reason"],
        until=entry["until"],
        where=place.position,
        delegated=delegated is None or code in delegated or area in delegated,
    )


def _invalid(place: Place, what: str, remedy: str = "") -> Problem:
    return Problem.at(
        place, "problems/invalid-entry", what, remedy=remedy or "the entry has no effect: fix it"
    )
