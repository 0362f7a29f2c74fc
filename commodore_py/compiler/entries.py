"""A target's lists `kapitan.compile` and `kapitan.dependencies`, checked and completed (pure)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError, raise_collected
from commodore_py.model.download import Artifact, Chart, Download, Repository, WebFile
from commodore_py.model.names import did_you_mean, value_shown
from commodore_py.model.spot import Spot, nowhere

from .fields import DEPENDENCY_TYPES, Field
from .inputs import INPUT_TYPES
from .job import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.model.download import Source
    from commodore_py.model.inventory import Inventory, Node
    from commodore_py.model.spot import PlaceOf


@dataclass(frozen=True, slots=True)
class Entries:
    """Both lists of a target, and what is wrong with them."""

    compiled: tuple[Entry, ...]
    dependencies: tuple[Mapping[str, Any], ...]
    problems: tuple[CommodoreError, ...] = ()


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


def wanted_downloads(inventory: Inventory) -> tuple[Download, ...]:
    """The downloads of all instances, in their order."""
    return tuple(
        Download(
            source=_source_of(fields),
            output_path=fields["output_path"],
            spot=Spot(instance.name, ("kapitan", "dependencies", f"[{index}]")),
            unpack=bool(fields.get("unpack")),
            forced=bool(fields["force_fetch"]),
        )
        for instance in inventory.instances
        for index, fields in _dependencies(inventory.nodes[instance.name]).checked()
    )


def entries_of(node: Node, place_of: PlaceOf = nowhere) -> Entries:
    """Read the lists of a target; all problems are reported at once."""
    kinds = {name: kind.FIELDS for name, kind in INPUT_TYPES.items()}
    compiled = _List("compile", "input_type", "input type", kinds, node, place_of)
    entries = tuple(Entry(node.name, index, fields) for index, fields in compiled.checked())
    listed = _dependencies(node, place_of)
    dependencies = tuple(fields for _, fields in listed.checked())
    return Entries(entries, dependencies, (*compiled.problems, *listed.problems))


def _problems_of(node: Node, place_of: PlaceOf) -> Iterator[CommodoreError]:
    entries = entries_of(node, place_of)
    yield from entries.problems
    # Output in the checkout is only prepared for later entries: it gets nowhere by itself.
    checkout = f"{node.parameters.get('_base_directory')}/"
    if not entries.problems and all(e.output_path.startswith(checkout) for e in entries.compiled):
        spot = Spot(node.name, ("kapitan", "compile"))
        yield CommodoreError(
            f"{node.name}: compiling it gives no file",
            where=f"inventory/classes/components/{node.name}.yml\n{spot.seen_from(place_of)}",
            hint="its class file lists no input whose output goes below compiled/; a component"
            " without manifests is not a component: move its parameters into the hierarchy",
        )


def _dependencies(node: Node, place_of: PlaceOf = nowhere) -> _List:
    return _List("dependencies", "type", "dependency type", DEPENDENCY_TYPES, node, place_of)


def _source_of(fields: Mapping[str, Any]) -> Source:
    source = fields["source"]
    match fields["type"]:
        case "helm":
            version, helm = fields["version"] or "", fields["helm_path"] or ""
            return Chart(source, fields["chart_name"], version, helm)
        case "git":
            subdir, submodules = fields["subdir"] or "", bool(fields["submodules"])
            return Repository(source, fields["ref"], subdir, submodules)
        case "oci":
            subpath, media_type = fields["subpath"] or "", fields["media_type"] or ""
            return Artifact(source, subpath, media_type, fields["insecure"], fields["tls_verify"])
        case _:
            return WebFile(source)


@dataclass(frozen=True, slots=True)
class _List:
    """One of the two lists, and the problems with it."""

    name: str
    key: str
    """The key with the kind of an entry."""
    what: str
    kinds: Mapping[str, Mapping[str, Field]]
    node: Node
    place_of: PlaceOf
    problems: list[CommodoreError] = field(default_factory=list)

    def checked(self) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Completed entries with their numbers; the others become problems."""
        kapitan = self.node.parameters.get("kapitan")
        entries = kapitan.get(self.name, []) if isinstance(kapitan, Mapping) else []
        if entries is None and self.name == "dependencies":
            return
        if not isinstance(entries, list):
            self._refuse((), f"{self.name} must be a list, not {value_shown(entries)}")
            return
        for index, entry in enumerate(entries):
            before = len(self.problems)
            fields = self._completed(f"[{index}]", entry)
            if len(self.problems) == before:
                yield index, fields

    def _completed(self, item: str, entry: object) -> Mapping[str, Any]:
        if not isinstance(entry, Mapping):
            shown = value_shown(entry)
            self._refuse((item,), f"an entry of {self.name} must be a mapping, not {shown}")
            return {}
        if self.key not in entry:
            self._refuse((item,), f"an entry of {self.name} has no {self.key}", f"add {self.key}")
            return {}
        kind = entry[self.key]
        if not isinstance(kind, str) or kind not in self.kinds:
            hint = f"{_meant(kind, self.kinds)}there are {', '.join(sorted(self.kinds))}"
            text = f"{value_shown(kind)} is not a valid {self.what}"
            self._refuse((item, self.key), text, hint)
            return {}
        fields, what = self.kinds[kind], f"{self.what} {kind}"
        accepted: dict[str, Any] = {}
        for key, value in entry.items():
            if key not in fields:
                shown = key if isinstance(key, str) else value_shown(key)
                hint = f"{_meant(key, fields)}there are {', '.join(sorted(fields))}"
                self._refuse((item, key), f"{what} has no key {shown}", hint)
                continue
            try:
                accepted[key] = fields[key].accept(value)
            except ValueError as error:
                text = f"{key} of {what} must be {error}, not {value_shown(value)}"
                self._refuse((item, key), text)
        for key, spec in fields.items():
            if spec.required and key not in entry:
                self._refuse((item,), f"{what} needs {key}", f"add {key}")
        return {key: accepted.get(key, spec.default) for key, spec in fields.items()}

    def _refuse(self, path: tuple[Hashable, ...], message: str, hint: str = "") -> None:
        spot = Spot(self.node.name, ("kapitan", self.name, *path))
        where = spot.seen_from(self.place_of)
        self.problems.append(CommodoreError(f"{self.node.name}: {message}", where=where, hint=hint))


def _meant(name: object, names: Iterable[str]) -> str:
    meant = did_you_mean(name, names) if isinstance(name, str) else ""
    return f"{meant} Else, " if meant else ""
