"""Results as text, JSON and YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from commodore_py.model.catalog import DiffLine

CLUSTER_LIST_FORMS = ("json", "yaml", "yml", "id")
_COLUMNS = {"id": "ID", "displayName": "DISPLAY NAME", "tenant": "TENANT"}


def structured(content: Mapping[str, Any], form: str) -> str:
    """A result of ours for programs; it names its schema."""
    if form == "json":
        return json.dumps(content, indent=2)
    import yaml

    return str(yaml.safe_dump(dict(content), sort_keys=False, allow_unicode=True)).rstrip("\n")


def cluster_list(clusters: Sequence[Mapping[str, Any]], form: str) -> str:
    """The clusters in the wanted form, anything unknown is the table; Commodore's bytes."""
    if form == "json":
        return json.dumps(clusters, indent=2)
    if form in ("yaml", "yml"):
        import yaml

        return str(yaml.safe_dump(list(clusters)))
    if form == "id":
        return "\n".join(str(cluster.get("id", "")) for cluster in clusters)
    return "\n".join(_table(clusters))


def diff_lines(lines: Iterable[DiffLine]) -> str:
    """A diff with the colours of its lines; the stream decides whether they are shown."""
    return "\n".join(
        click.style(line.text, fg=line.colour) if line.colour else line.text for line in lines
    )


def _table(clusters: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    rows = [[str(cluster.get(key) or "") for key in _COLUMNS] for cluster in clusters]
    widths = [
        max(len(key), *(len(row[index]) for row in rows), 0) + 2
        for index, key in enumerate(_COLUMNS)
    ]
    for row in ([*_COLUMNS.values()], *rows):
        yield "".join(text.ljust(width) for text, width in zip(row, widths, strict=True))
