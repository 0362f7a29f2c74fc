"""Results as text, JSON and YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import escaping
from commodore_py.adapters.masking import REDACTOR

from . import streams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.model.catalog import DiffLine

CLUSTER_LIST_FORMS = ("json", "yaml", "yml", "id")
_COLUMNS = {"id": "ID", "displayName": "DISPLAY NAME", "tenant": "TENANT"}

_SIZES = ("B", "KiB", "MiB", "GiB")


def structured(content: Mapping[str, Any]) -> str:
    """A result of ours for programs; it names its schema."""
    return as_json(content, indent=2)


def show(output: str, content: Mapping[str, Any], lines: Iterable[str]) -> None:
    """Print a result: as lines for people, or for programs."""
    if output != "text":
        streams.data(structured(content))
    else:
        streams.lines(lines)


def as_json(content: object, indent: int | None = None) -> str:
    """A masked value as JSON that no runner of a pipeline takes for a command."""
    # JSON needs no escapes of ours: all but ASCII is escaped, and no line begins with a text.
    return json.dumps(REDACTOR.masked_value(content), indent=indent).replace("##", "#\\u0023")


def as_yaml(content: object, **how: Any) -> str:
    """A masked value as YAML that may be printed."""
    import yaml

    masked = REDACTOR.masked_value(content)
    how.setdefault("Dumper", yaml.SafeDumper)
    text = str(yaml.dump(masked, **how))
    if not escaping.is_unsafe(text):
        return text
    # With quotes everything can be escaped, and nothing is folded into lines.
    how |= {"default_style": '"', "allow_unicode": False, "width": 1 << 30}
    return str(yaml.dump(masked, **how)).replace("##", "#\\x23")


def cluster_list(clusters: Sequence[Mapping[str, Any]], form: str) -> str:
    """The clusters in the wanted form, anything unknown is the table; Commodore's bytes."""
    if form == "json":
        return as_json(clusters, indent=2)
    if form in ("yaml", "yml"):
        return as_yaml(list(clusters))
    if form == "id":
        return "\n".join(escaping.one_line(str(cluster.get("id", ""))) for cluster in clusters)
    return "\n".join(_table(clusters))


def diff_lines(lines: Iterable[DiffLine]) -> str:
    """A diff with the colours of its lines; the stream decides whether they are shown."""
    return "\n".join(
        streams.styled(line.text, fg=line.colour) if line.colour else line.text for line in lines
    )


def table(rows: Iterable[Sequence[str]], *, numbers_from: int | None = None) -> Iterator[str]:
    """Rows in columns, with two blanks between them; numbers are to the right."""
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        if numbers_from is not None:
            numbers = zip(row[numbers_from:], widths[numbers_from:], strict=True)
            cells[numbers_from:] = [text.rjust(width) for text, width in numbers]
        yield "  ".join(cells).rstrip()


def _table(clusters: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    rows = [
        [escaping.one_line(str(cluster.get(key) or "")) for key in _COLUMNS] for cluster in clusters
    ]
    widths = [
        max(len(key), *(len(row[index]) for row in rows), 0) + 2
        for index, key in enumerate(_COLUMNS)
    ]
    # Commodore's bytes, with the blanks at the end.
    for row in ([*_COLUMNS.values()], *rows):
        yield "".join(text.ljust(width) for text, width in zip(row, widths, strict=True))


def readable_size(count: int) -> str:
    """A number of bytes."""
    number, unit = float(count), _SIZES[0]
    for larger in _SIZES[1:]:
        if number >= 1024:  # noqa: PLR2004 - the step between units
            number, unit = number / 1024, larger
    return f"{number:.0f} B" if unit == "B" else f"{number:.1f} {unit}"
