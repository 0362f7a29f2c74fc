"""A target's lists `kapitan.compile` and `kapitan.dependencies`, checked and completed (pure)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.names import value_shown
from commodore_py.model.spot import Spot, nowhere

from .entry import Entry
from .fields import DEPENDENCY_TYPES, Field
from .inputs import INPUT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.spot import PlaceOf


class BadEntry(CommodoreError):
    """An entry of one of the lists cannot be understood."""


class Entries(NamedTuple):
    """Both lists of a target, and what is wrong with them."""

    compiled: tuple[Entry, ...]
    dependencies: tuple[Mapping[str, Any], ...]
    problems: tuple[BadEntry, ...] = ()


def check_entries(inventory: Inventory, place_of: PlaceOf) -> None:
    """Refuse lists that are invalid or compile nothing, of all targets at once."""
    raise_collected(
        (
            problem
            for instance in inventory.instances
            for problem in _problems_of(inventory.nodes[instance.name], place_of)
        ),
        "invalid lists in kapitan.compile or kapitan.dependencies",
    )


def _problems_of(node: Node, place_of: PlaceOf) -> Iterator[BadEntry]:
    entries = entries_of(node, place_of)
    yield from entries.problems
    # Output in the checkout is only prepared for later entries: it gets nowhere by itself.
    checkout = f"{node.parameters.get('_base_directory')}/"
    if not entries.problems and all(e.output_path.startswith(checkout) for e in entries.compiled):
        spot = Spot(node.name, ("kapitan", "compile"))
        yield BadEntry(
            f"{node.name}: compiling it gives no file",
            where=f"inventory/classes/components/{node.name}.yml\n{spot.seen_from(place_of)}",
            hint="its class file lists no input whose output goes below compiled/; a component"
            " without manifests is not a component: move its parameters into the hierarchy",
        )


def entries_of(node: Node, place_of: PlaceOf = nowhere) -> Entries:
    """Read the lists of a target; all problems are reported at once."""
    found = _List("compile", "input_type", "input type", _input_fields(), node.name, place_of, [])
    compiled = found.checked(_kapitan(node))
    entries = tuple(Entry(node.name, index, fields) for index, fields in compiled)
    wanted, problems = _dependencies(node, place_of)
    return Entries(entries, wanted, (*found.problems, *problems))


def dependencies_of(node: Node) -> tuple[Mapping[str, Any], ...]:
    """The second list alone, without what is wrong with it."""
    return _dependencies(node, nowhere)[0]


def _dependencies(
    node: Node, place_of: PlaceOf
) -> tuple[tuple[Mapping[str, Any], ...], list[BadEntry]]:
    found = _List(
        "dependencies", "type", "dependency type", DEPENDENCY_TYPES, node.name, place_of, []
    )
    return tuple(fields for _, fields in found.checked(_kapitan(node))), found.problems


def _kapitan(node: Node) -> Mapping[str, Any]:
    kapitan = node.parameters.get("kapitan")
    return kapitan if isinstance(kapitan, Mapping) else {}


def _input_fields() -> Mapping[str, Mapping[str, Field]]:
    return {name: kind.FIELDS for name, kind in INPUT_TYPES.items()}


class _List(NamedTuple):
    """One of the two lists, and what is found wrong with it."""

    name: str
    key: str
    """The key with the kind of an entry."""
    what: str
    kinds: Mapping[str, Mapping[str, Field]]
    target: str
    place_of: PlaceOf
    problems: list[BadEntry]

    def checked(self, kapitan: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Completed entries with their numbers; the others become problems."""
        entries = kapitan.get(self.name, [])
        if entries is None and self.name == "dependencies":
            return
        if not isinstance(entries, list):
            self._refuse((), f"{self.name} must be a list, not {value_shown(entries)}")
            return
        for index, entry in enumerate(entries):
            fields = self._fields_of(index, entry)
            if fields is None:
                continue
            known = len(self.problems)
            self._check(index, entry, fields)
            if len(self.problems) == known:
                yield index, _completed(entry, fields)

    def _fields_of(self, index: int, entry: object) -> Mapping[str, Field] | None:
        here = (f"[{index}]",)
        if not isinstance(entry, Mapping):
            self._refuse(
                here, f"an entry of {self.name} must be a mapping, not {value_shown(entry)}"
            )
            return None
        if self.key not in entry:
            self._refuse(here, f"an entry of {self.name} has no {self.key}", f"add {self.key}")
            return None
        kind = entry[self.key]
        if isinstance(kind, str) and kind in self.kinds:
            return self.kinds[kind]
        hint = f"{_meant(kind, self.kinds)}there are {', '.join(sorted(self.kinds))}"
        self._refuse((*here, self.key), f"{value_shown(kind)} is not a valid {self.what}", hint)
        return None

    def _check(self, index: int, entry: Mapping[Any, Any], fields: Mapping[str, Field]) -> None:
        here = (f"[{index}]",)
        what = f"{self.what} {entry[self.key]}"
        for key, value in entry.items():
            if key not in fields:
                hint = f"{_meant(key, fields)}there are {', '.join(sorted(fields))}"
                self._refuse((*here, key), f"{what} has no key {_key_shown(key)}", hint)
                continue
            try:
                fields[key].accept(value)
            except ValueError as error:
                text = f"{key} of {what} must be {error}, not {value_shown(value)}"
                self._refuse((*here, key), text)
        for key, field in fields.items():
            if field.required and key not in entry:
                self._refuse(here, f"{what} needs {key}", f"add {key}")

    def _refuse(self, path: tuple[Hashable, ...], message: str, hint: str = "") -> None:
        spot = Spot(self.target, ("kapitan", self.name, *path))
        where = spot.seen_from(self.place_of)
        self.problems.append(BadEntry(f"{self.target}: {message}", where=where, hint=hint))


def _meant(name: object, known: Iterable[str]) -> str:
    if not isinstance(name, str):
        return ""
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}? Else, " if close else ""


def _key_shown(key: object) -> str:
    return key if isinstance(key, str) else value_shown(key)


def _completed(entry: Mapping[str, Any], fields: Mapping[str, Field]) -> Mapping[str, Any]:
    return {
        key: field.accept(entry[key]) if key in entry else field.default
        for key, field in fields.items()
    }
