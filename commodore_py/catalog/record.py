"""The record of a catalog's sources, and the commit message with it (pure)."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping, json_text
from commodore_py.adapters.files import remove, write_if_changed
from commodore_py.adapters.masking import without_secrets
from commodore_py.model.catalog import BuildRecord, DependencyRecord
from commodore_py.model.dependency import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.stages import Sources

_SUBJECT = "Automated catalog update from Commodore"


def record_of(sources: Sources) -> BuildRecord:
    """The exact version of everything that the sources came from."""
    classes = sources.classes
    (global_config,) = classes.of_kind(Kind.GLOBAL)
    (tenant_config,) = classes.of_kind(Kind.TENANT)
    checkouts = {d.spec.name: d for d in classes.of_kind(Kind.COMPONENT, Kind.INSTANCE)}
    return BuildRecord(
        cluster=sources.cluster.id,
        time=sources.time,
        global_config=_recorded(global_config, name="global"),
        tenant_config=_recorded(tenant_config, name="tenant"),
        instances=tuple(
            _recorded(
                # An instance has a checkout of its own only where it is versioned by itself.
                checkouts.get(instance.name) or checkouts[instance.component],
                name=instance.name,
                component=instance.component,
            )
            for instance in sorted(sources.inventory.instances, key=lambda i: i.name)
        ),
        packages=tuple(_recorded(d, name=d.spec.name) for d in classes.of_kind(Kind.PACKAGE)),
    )


def commit_message(record: BuildRecord) -> str:
    """The message of the catalog's commit; programs read it, so its form is fixed."""
    sections = (
        _SUBJECT,
        _section("Component instance commits", record.instances),
        _section("Package commits", record.packages),
        _section("Configuration commits", (record.global_config, record.tenant_config)),
        f"Compilation timestamp: {record.time.isoformat(timespec='milliseconds')}\n",
    )
    return "\n\n".join(sections)


def _recorded(dependency: Dependency, *, name: str, component: str = "") -> DependencyRecord:
    return DependencyRecord(
        name=name,
        # The catalog and the API are read by many.
        url=escaping.one_line(without_secrets(dependency.url)),
        version=escaping.one_line(dependency.version),
        commit=dependency.commit,
        short_commit=dependency.short_commit,
        path=escaping.one_line(dependency.spec.path),
        component=component,
    )


def _section(title: str, records: Iterable[DependencyRecord]) -> str:
    # An empty section keeps its empty line: Commodore's messages look so, and are parsed.
    return f"{title}:\n" + "\n".join(_entry(record) for record in records)


def _entry(record: DependencyRecord) -> str:
    aliased = record.component and record.component != record.name
    name = f"{record.name} ({record.component})" if aliased else record.name
    lines = [f" * {name}: {record.version} ({record.short_commit})", f"   url: {record.url}"]
    if record.path:
        lines.append(f"   path: {record.path}")
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Unreported:
    """The report of a catalog commit, to be sent once that is pushed."""

    cluster: str
    commit: str
    report: Mapping[str, Any]


def keep_unreported(paths: WorkPaths, report: Unreported) -> None:
    """Note what is to be reported: before the push, as a run may be killed right after it."""
    write_if_changed(_file(paths), json.dumps(asdict(report), indent=2).encode())


def unreported(paths: WorkPaths) -> Unreported | None:
    """The record that is still to be reported, if any."""
    try:
        content = json_text.load(_file(paths).read_bytes(), name=str(_file(paths)))
        return Unreported(content["cluster"], content["commit"], content["report"])
    except (OSError, ValueError, TypeError, KeyError):  # or of another version of ours
        return None


def forget_unreported(paths: WorkPaths) -> None:
    """It was reported, or never pushed."""
    remove(_file(paths))


def _file(paths: WorkPaths) -> Path:
    return paths.state / "unreported.json"
