"""The bundle that a cluster includes, and what is different from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py import __version__
from commodore_py.adapters.reading import content_of as bytes_of
from commodore_py.dependencies.downloads.chart_versions import best
from commodore_py.errors import CommodoreError
from commodore_py.model.catalog import BundleUse, Deviation
from commodore_py.model.dependency import Kind
from commodore_py.model.inventory import BOOTSTRAP
from commodore_py.model.problem import Problem

from .content import FIELDS, Pinned, content_of, digest_of, resolved
from .index import CLASSES, FILE, FOLDER, Index, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from commodore_py.model.classpath import ClassPath
    from commodore_py.model.dependency import Dependency
    from commodore_py.model.inventory import Node
    from commodore_py.model.spot import Inclusion, Places

    from .content import Content
    from .index import Entry

_KINDS = {Kind.COMPONENT: "component", Kind.INSTANCE: "instance", Kind.PACKAGE: "package"}
_SHOWN = 10


@dataclass(frozen=True, slots=True)
class Found:
    """The bundle of a cluster, and what the user should know about it."""

    bundle: BundleUse | None
    problems: tuple[Problem, ...] = ()


def find(classes: ClassPath, node: Node, places: Places, *, locked: bool = False) -> Found:
    """The indexed class that the target of the cluster includes.

    Without a lock, tags of the bundle are compared with their commits when it was published.
    """
    folder = next((dependency.directory for dependency in classes.of_kind(Kind.GLOBAL)), None)
    if folder is None or not (folder / FILE).is_file():
        return Found(None)
    try:
        index = parse(bytes_of(folder / FILE), f"inventory/classes/global/{FILE}")
    except CommodoreError as error:
        return Found(None, tuple(_invalid(part) for part in error.parts))
    included = places.included(BOOTSTRAP, CLASSES)
    merged = list(dict.fromkeys(inclusion.name for inclusion in included if inclusion.merged))
    used = [entry for name in merged if (entry := index.of_class(name)) is not None]
    if not used:
        return Found(None)
    entry = used[-1]
    place, alias = _asked_for(entry.class_name, included)
    text = bytes_of(class_file(folder, entry.name))
    content = content_of(text, place, entry.commits)
    deviations = tuple(deviations_from(content, classes, node, places, entry.name))
    bundle = BundleUse(entry.version, entry.class_name, alias, place, deviations)
    problems = (
        *_twice(index, used, included),
        *_state(entry, text, place),
        *(() if locked else _moved(entry, content, classes, place)),
        *_about_deviations(bundle),
    )
    return Found(bundle, problems)


def class_file(folder: Path, name: str) -> Path:
    """The file of a class in `bundles`."""
    files = (folder / FOLDER / f"{name}{suffix}" for suffix in (".yml", ".yaml"))
    return next((file for file in files if file.is_file()), folder / FOLDER / f"{name}.yml")


def _invalid(error: CommodoreError) -> Problem:
    return Problem(
        f"bundles are ignored: {error}",
        where=error.where,
        strict=True,
        code="bundles/invalid-index",
        remedy=error.hint,
    )


def _asked_for(name: str, included: tuple[Inclusion, ...]) -> tuple[str, str]:
    """The line that includes a bundle class, and its alias if it is included by one."""
    alias = ""
    while True:
        inclusion = next(
            (inclusion for inclusion in included if inclusion.name == name and inclusion.merged),
            None,
        )
        if inclusion is None:
            return "", alias
        if not inclusion.by.startswith(CLASSES):
            return inclusion.place, alias
        name = inclusion.by
        alias = name.removeprefix(CLASSES)


def _twice(index: Index, used: list[Entry], included: tuple[Inclusion, ...]) -> Iterator[Problem]:
    """Two bundles, or one that is included twice."""
    if len(used) > 1:
        where = [_asked_for(entry.class_name, included)[0] for entry in used]
        yield Problem(
            f"two bundles are included: {' and '.join(bundle.version for bundle in used)};"
            f" {used[-1].version} counts, as it is merged later",
            where="\n".join(where),
            strict=True,
            code="bundles/several",
            remedy="remove one of them",
        )
    for entry in used:
        lines = dict.fromkeys(
            inclusion.place
            for inclusion in included
            if index.of_class(inclusion.name) is entry and not inclusion.by.startswith(CLASSES)
        )
        if len(lines) > 1:
            yield Problem(
                f"bundle {entry.version} is included twice: it is merged at the first place only",
                where="\n".join(lines),
                code="bundles/twice",
                remedy="remove one of these lines",
            )


def _state(entry: Entry, text: bytes, place: str) -> Iterator[Problem]:
    """Return whether a bundle may be used, and is what was published."""
    if entry.withdrawn is not None:
        yield Problem(
            f"bundle {entry.version} is withdrawn: {entry.withdrawn.reason}",
            where=place,
            strict=True,
            code="bundles/withdrawn",
            remedy=f"use {entry.withdrawn.instead} instead: `commodore bundle use"
            f" {entry.withdrawn.instead}`"
            if entry.withdrawn.instead
            else "use another version: `commodore bundle list`",
        )
    if entry.requires_tool and not is_met(entry.requires_tool, __version__):
        yield Problem(
            f"bundle {entry.version} requires commodore {entry.requires_tool}, this is"
            f" {__version__}",
            where=place,
            strict=True,
            code="bundles/requires-tool",
            remedy="install such a version of commodore, or use another bundle",
        )
    if not entry.sha256:
        yield Problem(
            f"the index has no sha256 of bundle {entry.version}: an edit of it is not noticed",
            where=f"inventory/classes/global/{FILE}",
            strict=True,
            code="bundles/no-digest",
            remedy="restore the line that `commodore bundle publish` wrote; it is the SHA-256 of"
            " the class file",
        )
    elif digest_of(text) != entry.sha256:
        yield Problem(
            f"bundle {entry.version} was edited after it was published",
            where=f"inventory/classes/{entry.class_name.replace('.', '/')}.yml",
            strict=True,
            code="bundles/edited",
            remedy="restore the file, and publish the change as a version of its own",
        )


def is_met(version_range: str, version: str) -> bool:
    """Return whether a version is in a range; never in one that is not valid."""
    try:
        return best(version_range, [version]) is not None
    except ValueError:
        return False


def _moved(entry: Entry, content: Content, classes: ClassPath, place: str) -> Iterator[Problem]:
    """Tags of the bundle that are not at the commits of its publication."""
    for dependency in classes.of_kind(Kind.COMPONENT, Kind.PACKAGE):
        name, kind = dependency.spec.name, f"{_KINDS[dependency.spec.kind]}s"
        pinned = content.get((kind, name), Pinned())
        published, is_as_stated = pinned.commit, pinned.version == dependency.spec.version
        if published and is_as_stated and not dependency.commit.startswith(published):
            yield Problem(
                f"tag {dependency.spec.version} of {_KINDS[dependency.spec.kind]} {name} was moved"
                f" since bundle {entry.version} was published:"
                f" from {published[:12]} to {dependency.commit[:12]}",
                where=place,
                code="bundles/moved-tag",
                remedy="restore the tag, or publish a bundle with another version",
            )


def deviations_from(
    content: Content, classes: ClassPath, node: Node, places: Places, bundle: str
) -> Iterator[Deviation]:
    """Deviations of what is deployed from a bundle, of which the name of its class is given."""
    for dependency in classes.of_kind(*_KINDS):
        kind, name = _KINDS[dependency.spec.kind], dependency.spec.name
        key = "packages" if kind == "package" else "components"
        base = content.get((key, dependency.spec.component or name), Pinned())
        instance_entry = content.get((key, name), Pinned())
        if kind == "instance" and _as_component(dependency, classes):
            continue
        where = places.parameter(BOOTSTRAP, (key, name))
        if base == instance_entry == Pinned():
            yield Deviation(kind, name, "", "", dependency.spec.version or "", where)
            continue
        for field in FIELDS:
            deployed = _field(dependency, field)
            stated = getattr(instance_entry, field) or getattr(base, field)
            if deployed == _plain(resolved(stated, node.parameters), field):
                continue
            where = places.parameter(BOOTSTRAP, (key, name, field))
            # A reference in a bundle that cannot be followed here has its value from there.
            if f"/{FOLDER}/{bundle}.y" not in where:
                yield Deviation(kind, name, field, stated, deployed, where)


def _as_component(instance: Dependency, classes: ClassPath) -> bool:
    """Return whether an instance is checked out as its component is, which is judged by itself."""
    base = classes.component(instance.spec.component)
    return base is not None and all(
        _field(base, field) == _field(instance, field) for field in FIELDS
    )


def _field(dependency: Dependency, field: str) -> str:
    return _plain(getattr(dependency.spec, field), field)


def _plain(value: str | None, field: str) -> str:
    return (value or "").strip("/") if field == "path" else value or ""


def _about_deviations(bundle: BundleUse) -> Iterator[Problem]:
    deviations = bundle.deviations
    if not deviations:
        return
    texts = [deviation.text for deviation in deviations[:_SHOWN]]
    more = [f"and {len(deviations) - _SHOWN} more"] if len(deviations) > _SHOWN else []
    yield Problem(
        f"the cluster deviates from bundle {bundle.version}: {'; '.join([*texts, *more])}",
        where="\n".join(
            dict.fromkeys(deviation.where for deviation in deviations if deviation.where)
        ),
        code="bundles/deviation",
    )
