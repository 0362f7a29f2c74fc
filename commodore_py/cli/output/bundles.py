"""Results of `commodore bundle …`, and the bundle of a compile."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping

from .differences import as_json, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commodore_py.dependencies.bundles.content import Content
    from commodore_py.dependencies.bundles.index import Entry
    from commodore_py.model.catalog import BundleUse
    from commodore_py.workflows.bundles.checkout import Bundles
    from commodore_py.workflows.bundles.publish import Published
    from commodore_py.workflows.bundles.use import Planned


def used(bundle: BundleUse) -> dict[str, Any]:
    """The bundle of a cluster."""
    deviations = [
        {name: text or None for name, text in asdict(deviation).items()}
        for deviation in bundle.deviations
    ]
    return {
        "version": bundle.version,
        "class": bundle.class_name,
        "alias": bundle.alias or None,
        "where": bundle.where or None,
        "deviations": [{**each, "here": each.pop("deployed")} for each in deviations],
    }


def heading(bundle: BundleUse) -> str:
    """The bundle of a cluster in one line."""
    alias = f" ({bundle.alias})" if bundle.alias else ""
    text = f"Bundle {bundle.version}{alias}"
    if bundle.deviations:
        text += f", deviating: {', '.join(deviation.text for deviation in bundle.deviations)}"
    return escaping.one_line(text)


def used_lines(bundle: BundleUse) -> Iterator[str]:
    """The bundle of a cluster, and what deviates from it."""
    alias = f" by alias {bundle.alias}" if bundle.alias else ""
    yield f"{bundle.version}{alias}, included in {bundle.where}"
    for deviation in bundle.deviations:
        yield (
            f"  {deviation.text} ({deviation.where})" if deviation.where else f"  {deviation.text}"
        )


def _entry(entry: Entry) -> dict[str, Any]:
    return {
        "version": entry.version,
        "class": entry.class_name,
        "notes": entry.notes or None,
        "requires_tool": entry.requires_tool or None,
        "withdrawn": entry.withdrawn._asdict() if entry.withdrawn else None,
    }


def listed(bundles: Bundles) -> dict[str, Any]:
    """All versions, the newest first, and aliases."""
    return {
        "schema": "bundle-list/v1",
        "order": bundles.index.order,
        "bundles": list(map(_entry, reversed(bundles.index.sorted()))),
        "aliases": [
            {"name": name, "version": version}
            for name, version in bundles.aliases().items()
            if version
        ],
        "not_listed": [name for name, version in bundles.aliases().items() if not version],
    }


def list_lines(bundles: Bundles) -> Iterator[str]:
    """Render it for people."""
    aliases = bundles.aliases()
    for entry in reversed(bundles.index.sorted()):
        names = [name for name, version in aliases.items() if version == entry.version]
        text = entry.version + (f"  ({', '.join(names)})" if names else "")
        if entry.withdrawn:
            instead = f", use {entry.withdrawn.instead}" if entry.withdrawn.instead else ""
            text += f"  withdrawn: {entry.withdrawn.reason}{instead}"
        yield text
    for name, version in aliases.items():
        if not version:
            yield f"bundles/{name}.yml is not in the index"


def content(entry: Entry, entries: Content) -> dict[str, Any]:
    """Content of a version."""
    return {
        "schema": "bundle-show/v1",
        **_entry(entry),
        "entries": [
            {
                "kind": kind.removesuffix("s"),
                "name": name,
                "url": pinned.url or None,
                "version": pinned.version or None,
                "path": pinned.path or None,
                "commit": pinned.commit or None,
            }
            for (kind, name), pinned in sorted(entries.items())
        ],
    }


def content_lines(entry: Entry, entries: Content) -> Iterator[str]:
    """Render it for people."""
    yield entry.version + (f"  {entry.notes}" if entry.notes else "")
    for (kind, name), pinned in sorted(entries.items()):
        yield f"  {kind.removesuffix('s')} {name}  {pinned.version}"


def published(done: Published) -> dict[str, Any]:
    """A version that was published."""
    return {
        "schema": "bundle-publish/v1",
        "version": done.version,
        "file": done.file,
        "commit": done.commit,
        "tested": [tested.cluster for tested in done.tested],
        "overridden": [
            {
                "cluster": tested.cluster,
                "kind": override.kind,
                "name": override.name,
                "version": override.deployed,
                "where": override.where or None,
            }
            for tested in done.tested
            for override in tested.overrides
        ],
        "untested": [
            {"kind": kind.removesuffix("s"), "name": name} for kind, name in done.untested
        ],
        "steps": [
            {
                "cluster": step.cluster,
                "before": step.before,
                "grade": None if step.error else step.grade,
                "objects": dict(step.objects),
                "reason": step.reason or None,
                "error": str(step.error) if step.error else None,
            }
            for step in done.steps
        ],
        "entries": [
            {"kind": kind.removesuffix("s"), "name": name, "version": pinned.version}
            for (kind, name), pinned in sorted(done.entries.items())
        ],
    }


def published_lines(done: Published) -> Iterator[str]:
    """Render it for people."""
    for (kind, name), pinned in sorted(done.entries.items()):
        branch = f"  (branch {pinned.branch})" if pinned.branch else ""
        yield f"{kind.removesuffix('s')} {name}  {pinned.version}{branch}"
    for step in done.steps:
        grade = f"does not compile: {step.error}" if step.error else step.grade
        counts = ", ".join(f"{number} {grade}" for grade, number in step.objects.items())
        reason = "; ".join(filter(None, (counts, step.reason)))
        yield f"{step.cluster}  from {step.before}  {grade}" + (f"  ({reason})" if reason else "")
    for tested in done.tested:
        for override in tested.overrides:
            what = f"{override.kind} {override.name}  {override.deployed}"
            yield f"{tested.cluster}  overrides {what}  ({override.where})"
    if done.tested and done.untested:
        names = ", ".join(f"{kind.removesuffix('s')} {name}" for kind, name in done.untested)
        yield f"not tested: {names}"
    clusters = ", ".join(tested.cluster for tested in done.tested)
    ending = f", tested with {clusters}" if clusters else ", not tested"
    yield f"Published {done.version} as {done.file}{ending}"


def use(version: str, planned: Planned, *, written: bool) -> dict[str, Any]:
    """The edit that uses another version."""
    return {
        "schema": "bundle-use/v1",
        "version": version,
        "file": planned.shown,
        "line": planned.line,
        "changed": planned.diff is not None,
        "written": written,
        "catalog": None if planned.diff is None else as_json.object_diff(planned.diff),
    }


def use_lines(planned: Planned) -> Iterator[str]:
    """Render it for people."""
    if planned.diff is None:
        yield f"{planned.shown}:{planned.line} has that already"
        return
    yield f"{planned.shown}:{planned.line}"
    yield from as_text.object_diff(planned.diff).split("\n")
