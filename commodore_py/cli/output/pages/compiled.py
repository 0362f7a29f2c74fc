"""A compiled catalog as sections of a page: what it consists of, and where that comes from."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from commodore_py.adapters import yaml
from commodore_py.catalog.layout import MANIFESTS
from commodore_py.manifests.documents import may_hold_objects, read
from commodore_py.manifests.secrets import hidden, masked_value
from commodore_py.model.tree import Tree

from . import Column, Row, Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.cli.output.timings import Row as Timing
    from commodore_py.manifests.objects import KubeObject
    from commodore_py.model.catalog import DependencyRecord
    from commodore_py.model.published import Published
    from commodore_py.model.stages import Rendered, Sources

_KIB = 1024
_MOST_LINES = 200
_SHORT_COMMIT = 10


def overview(sources: Sources, rendered: Rendered, published: Published) -> Section:
    """The cluster and the sums."""
    cluster, record = sources.cluster, published.record
    size = sum(len(entry.content) for entry in rendered.catalog.values())
    rows = [
        ("Cluster", f"{cluster.id} ({cluster.display_name})"),
        ("Tenant", f"{cluster.tenant} ({cluster.tenant_display_name})"),
        ("Compiled at", record.time.isoformat(timespec="seconds")),
        ("Component instances", str(len(sources.inventory.instances))),
        ("Files", f"{len(rendered.catalog)}, {_kib(size)} KiB"),
        ("Changed files", str(len(published.change.files))),
        *((f"Fact {name}", str(value)) for name, value in sorted(cluster.facts.items())),
    ]
    return Section(
        "overview", "Overview", (Column("What"), Column("Value")), [Row(row) for row in rows],
        counted=False,
    )  # fmt: skip


def sections_of(sources: Sources, rendered: Rendered, published: Published) -> Iterator[Section]:
    """Objects, instances, components, classes, problems."""
    objects = _objects(rendered)
    yield _objects_section(objects)
    yield _instances(sources, rendered, objects, published)
    yield _components(published)
    yield _class_section(sources)
    problems = [*sources.notices, *rendered.notices, *published.notices]
    yield Section(
        "problems",
        "Problems",
        (Column("Severity", graded=True), Column("Problem"), Column("Where"), Column("Remedy")),
        [
            Row((one.severity, one.message, one.where, one.remedy))
            for one in dict.fromkeys(problems)
        ],
        empty="No problems and no notices.",
    )


def timings(rows: Sequence[Timing]) -> Section:
    """How long each stage took."""
    return Section(
        "timings",
        "Timings",
        (Column("Stage"), Column("Count", number=True), Column("Wall s", number=True),
         Column("CPU s", number=True)),
        [
            Row(
                (
                    "/".join(row.names),
                    str(row.count or ""),
                    *("" if cost is None else f"{cost / 1e9:.3f}" for cost in (row.wall, row.cpu)),
                )
            )
            for row in rows
        ],
        "The slowest of a stage are listed below it.",
        counted=False,
    )  # fmt: skip


def _objects(rendered: Rendered) -> list[tuple[str, KubeObject, int]]:
    """Every object with its instance and its share of the file's size."""
    found = []
    for instance, tree in rendered.instances.items():
        for path, entry in tree.items():
            name = str(MANIFESTS / path)
            parsed = read(entry.content, name, hide=hidden) if may_hold_objects(name) else None
            if parsed is not None and parsed.objects:
                size = len(entry.content) // len(parsed.objects)
                found += [(instance, one, size) for one in parsed.objects]
    return found


def _objects_section(objects: Sequence[tuple[str, KubeObject, int]]) -> Section:
    rows = [
        Row(
            (one.id.kind, one.id.namespace, one.id.name, instance, one.file, _kib(size)),
            yaml.dump(masked_value(one.content)).decode(),
            (0, 0, 0, 0, 0, size),
        )
        for instance, one, size in sorted(objects, key=lambda item: item[1].id)
    ]
    columns = (
        *(Column(name) for name in ("Kind", "Namespace", "Name", "Instance", "File")),
        Column("KiB", number=True),
    )
    note = "Select an object to see it. Values of Secrets are masked."
    return Section("objects", "Objects", columns, rows, note, "No objects.")


def _instances(
    sources: Sources,
    rendered: Rendered,
    objects: Sequence[tuple[str, KubeObject, int]],
    published: Published,
) -> Section:
    counts = Counter(instance for instance, _, _ in objects)
    records = {record.name: record for record in published.record.instances}
    rows = []
    for instance in sorted(sources.inventory.instances):
        tree = rendered.instances.get(instance.name, Tree())
        size = sum(len(entry.content) for entry in tree.values())
        record = records.get(instance.name)
        classes = sources.inventory.nodes[instance.name].classes
        numbers = (0, 0, 0, counts[instance.name], len(tree), size, len(classes))
        cells = (
            instance.name,
            instance.component,
            record.version if record else "",
            *(str(number) for number in numbers[3:5]),
            _kib(size),
            str(len(classes)),
        )
        rows.append(Row(cells, "classes, in the order of merging:\n" + "\n".join(classes), numbers))
    columns = (
        *(Column(name) for name in ("Instance", "Component", "Version")),
        *(Column(name, number=True) for name in ("Objects", "Files", "KiB", "Classes")),
    )
    return Section("instances", "Instances", columns, rows)


def _components(published: Published) -> Section:
    record = published.record
    used: defaultdict[tuple[str, str, str, str, str, str], list[str]] = defaultdict(list)
    for kind, one in (
        *(("component", instance) for instance in record.instances),
        *(("package", package) for package in record.packages),
        ("global configuration", record.global_config),
        ("tenant configuration", record.tenant_config),
    ):
        used[_cells(kind, one)].append(one.name)
    columns = tuple(Column(name) for name in ("Name", "Kind", "Version", "Commit", "URL", "Path"))
    return Section(
        "components",
        "Components",
        columns,
        [_component(cells, names) for cells, names in sorted(used.items())],
        "Everything that was fetched, in the version that was used.",
    )


def _component(cells: tuple[str, str, str, str, str, str], names: list[str]) -> Row:
    """A short commit in its column; the whole one is unfolded."""
    *before, commit, url, path = cells
    more = "\n".join((f"commit: {commit}", "used by:", *names))
    return Row((*before, commit[:_SHORT_COMMIT], url, path), more)


def _cells(kind: str, one: DependencyRecord) -> tuple[str, str, str, str, str, str]:
    return (one.component or one.name, kind, one.version, one.commit, one.url, one.path)


def _class_section(sources: Sources) -> Section:
    targets: defaultdict[str, list[str]] = defaultdict(list)
    by: defaultdict[str, set[str]] = defaultdict(set)
    for target in sources.inventory.nodes:
        for *_, above, name in (one for one in sources.places.chains(target) if len(one) > 1):
            targets[name].append(target)
            by[name].add(above)
    rows = [
        Row(
            (name, sources.places.class_file(name), ", ".join(sorted(by[name])), str(len(used))),
            "\n".join((*islice(_tree(name, by), _MOST_LINES), "", "targets:", *sorted(used))),
            (0, 0, 0, len(used)),
        )
        for name, used in sorted(targets.items())
    ]
    columns = (
        Column("Class"),
        Column("File"),
        Column("Included by"),
        Column("Targets", number=True),
    )
    note = "Select a class to see everything that leads to it."
    return Section("classes", "Classes", columns, rows, note)


def _tree(name: str, by: Mapping[str, set[str]], above: tuple[str, ...] = ()) -> Iterator[str]:
    """The class, with everything that includes it indented below."""
    yield "  " * len(above) + name
    for one in sorted(by.get(name, ())):
        if one in above or one == name:
            continue
        yield from _tree(one, by, (*above, name))


def _kib(size: int) -> str:
    return f"{size / _KIB:.1f}"
