"""The index of bundles: which versions there are, and what is known about each (pure)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast, get_args

from commodore_py.adapters import yaml
from commodore_py.dependencies.downloads.chart_versions import Version, is_exact
from commodore_py.errors import CommodoreError, raise_collected

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Order: TypeAlias = Literal["semver", "calver", "listed"]
ORDERS: tuple[str, ...] = get_args(Order)

_SEPARATORS = re.compile(r"[.\-_]")
_CENTURY = 100
_MILLENNIUM = 2000


def problem_of(version: str, order: Order) -> str:
    """Why a version cannot be ordered; empty if it can."""
    if order == "semver" and not is_exact(version):
        return "is not a semantic version, such as 1.4.0"
    if order == "calver" and not version[:1].isdigit():
        return "does not begin with a year, such as 2026.11.1"
    return ""


def key_of(version: str, order: Order) -> tuple[object, ...]:
    """Sorts versions of the same order; equal for versions that are equal."""
    if order == "semver":
        parsed = Version.parse(version)
        return () if parsed is None else (parsed,)
    return _by_calendar(version)


def in_order(versions: Iterable[str], order: Order) -> list[str]:
    """Versions from the oldest to the newest; as they are, if they are listed."""
    listed = list(versions)
    return (
        listed if order == "listed" else sorted(listed, key=lambda version: key_of(version, order))
    )


def _by_calendar(version: str) -> tuple[object, ...]:
    numbers: list[int] = []
    fields = _SEPARATORS.split(version)
    rest: list[str] = []
    for at, field in enumerate(fields):
        if not field.isdigit():
            rest = fields[at:]
            break
        numbers.append(int(field))
    if numbers and numbers[0] < _CENTURY:
        numbers[0] += _MILLENNIUM
    while numbers and numbers[-1] == 0:
        numbers.pop()
    # A pre-release comes before its release; numbers in it come before words.
    words = [(0, int(word), "") if word.isdigit() else (1, 0, word) for word in rest]
    return (numbers, not rest, words)


SCHEMA = "bundle-index/v1"
FOLDER = "bundles"
FILE = f"{FOLDER}/index.yml"
CLASSES = f"global.{FOLDER}."
"""How the names of bundle classes begin."""

_SHOWN = 20
_TOP = ("schema", "order", "test-clusters", "bundles")
_FIELDS = ("version", "class", "sha256", "notes", "requires-tool", "commits", "withdrawn")


class Withdrawn(NamedTuple):
    """Why a version must not be used any more."""

    reason: str
    instead: str = ""


class Entry(NamedTuple):
    """A version as the index lists it."""

    version: str
    name: str
    """The name of its class, below `bundles`."""
    sha256: str = ""
    """Of the class file as it was published."""
    notes: str = ""
    requires_tool: str = ""
    """A range of versions of this program."""
    commits: Mapping[str, str] = {}
    """Of tags, by the names of components and packages."""
    withdrawn: Withdrawn | None = None

    @property
    def class_name(self) -> str:
        """The name by which the class is included."""
        return f"{CLASSES}{self.name}"


@dataclass(frozen=True, slots=True)
class Index:
    """All versions, in the order of the file."""

    order: Order = "semver"
    test_clusters: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()

    def entry(self, version: str) -> Entry | None:
        """A version."""
        return next((entry for entry in self.entries if entry.version == version), None)

    def of_class(self, name: str) -> Entry | None:
        """The version whose class has this name."""
        return next((entry for entry in self.entries if entry.class_name == name), None)

    def sorted(self) -> list[Entry]:
        """All versions, the oldest first."""
        by_version = {entry.version: entry for entry in self.entries}
        return [by_version[version] for version in in_order(by_version, self.order)]

    def before(self, version: str, order: Order, count: int) -> list[Entry]:
        """The newest versions before one that is not listed yet, without withdrawn ones."""
        entries = {entry.version: entry for entry in self.entries if entry.withdrawn is None}
        ordered = in_order([*entries, version], order)
        return [entries[earlier] for earlier in ordered[: ordered.index(version)][-count:]]


def file_name_of(version: str) -> str:
    """The name of a version's class: dots would be folders."""
    return version.replace(".", "-").replace("+", "-")


def parse(text: bytes, where: str) -> Index:
    """The index of a text; an error for each problem, with its line."""
    content = yaml.load(text, name=where)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise CommodoreError(f"not an index of bundles: schema is not {SCHEMA}", where=where)
    problems: list[tuple[Any, ...]] = [
        (f"unknown key {key}", key) for key in content if key not in _TOP
    ]
    order = content.get("order", "semver")
    if order not in ORDERS:
        problems.append((f"order is not one of {', '.join(ORDERS)}", "order"))
        order = "listed"
    tests, bundles = content.get("test-clusters") or [], content.get("bundles") or []
    if not isinstance(tests, list) or not all(isinstance(test, str) for test in tests):
        problems.append(("test-clusters is not a list of ids", "test-clusters"))
    entries = []
    for number, item in enumerate(bundles if isinstance(bundles, list) else [None]):
        item_problems = list(_problems_of(item, order))
        problems += [(text, "bundles", number, *path) for text, *path in item_problems]
        if not item_problems:
            entries.append(_entry(item))
    index = Index(cast("Order", order), tuple(map(str, tests)), tuple(entries))
    problems += [(text, "bundles") for text in _equal(index)]
    # Finding a line reads the whole text.
    errors = [
        CommodoreError(message, where=f"{where}:{yaml.line_at(text, [0, *path])}")
        for message, *path in problems[:_SHOWN]
    ]
    if problems[_SHOWN:]:
        errors.append(CommodoreError(f"and {len(problems) - _SHOWN} more problems", where=where))
    raise_collected(errors, "the index of bundles is invalid")
    return index


def _problems_of(item: object, order: str) -> Iterator[tuple[str, *tuple[str, ...]]]:
    """Problems of an entry, each with the path of keys to it."""
    if not isinstance(item, Mapping):
        yield ("a bundle is a mapping with version and class",)
        return
    for key in item:
        if key not in _FIELDS:
            yield (f"unknown key {key}", str(key))
    for key in ("version", "class"):
        if not isinstance(item.get(key), str) or not item[key]:
            yield (f"{key} is not a text: put it in quotes", key)
    for key in ("sha256", "notes", "requires-tool"):
        if not isinstance(item.get(key, ""), str):
            yield (f"{key} is not a text: put it in quotes", key)
    yield from _invalid_values(item, order)


def _invalid_values(item: Mapping[str, Any], order: str) -> Iterator[tuple[str, *tuple[str, ...]]]:
    version = item.get("version")
    if isinstance(version, str) and (problem := problem_of(version, cast("Order", order))):
        yield (f"version {version} {problem}", "version")
    if any(sign in str(item.get("class")) for sign in "./${"):
        yield ("class is the name of a file in bundles/, without its suffix", "class")
    commits = item.get("commits") or {}
    if not isinstance(commits, Mapping) or not all(isinstance(o, str) for o in commits.values()):
        yield ("commits is not a mapping of names to commits", "commits")
    withdrawn = item.get("withdrawn")
    reasoned = isinstance(withdrawn, Mapping) and isinstance(withdrawn.get("reason"), str)
    if withdrawn is not None and not reasoned:
        yield ("withdrawn has no reason", "withdrawn")


def _entry(item: Mapping[str, Any]) -> Entry:
    withdrawn = item.get("withdrawn")
    return Entry(
        item["version"],
        item["class"],
        item.get("sha256", ""),
        item.get("notes", ""),
        item.get("requires-tool", ""),
        dict(item.get("commits") or {}),
        Withdrawn(withdrawn["reason"], str(withdrawn.get("instead") or "")) if withdrawn else None,
    )


def _equal(index: Index) -> Iterator[str]:
    """Versions that are equal, and classes that are listed twice."""
    keys: dict[object, str] = {}
    for entry in index.entries:
        key = entry.version if index.order == "listed" else repr(key_of(entry.version, index.order))
        if key in keys:
            yield f"versions {keys[key]} and {entry.version} are equal"
        keys.setdefault(key, entry.version)
    names = Counter(entry.name for entry in index.entries)
    yield from (f"class {name} is listed twice" for name, count in names.items() if count > 1)
