"""Charts whose output is not the same each time: stricter than what is reported to users (pure).

Here, every template counts as rendered, whatever the values say.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.adapters.files.compressed import BROKEN, ExpandsTooMuch, opened_tar

from .templates import calls_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from commodore_py.model.tree import Tree

# These take the current time for anything that is not a time, such as a string.
_OF_TIMES = re.compile(
    r"\{\{(?!-?\s*/\*)(?:(?!\}\}).)*?(?<![.$\w\"])"
    r"(date|dateInZone|date_in_zone|htmlDate|htmlDateInZone|durationRound)(?!\w)",
    re.DOTALL,
)
_TPL = re.compile(r"(?<![.$\w])tpl(?!\w)")
_NOTES = "NOTES.txt"
_MOST_NESTED = 8
_MOST_BYTES = 64 << 20
_UNREADABLE = "an archive that cannot be read"


def unsteady(chart: Tree | bytes, values: Iterable[str]) -> tuple[str, ...]:
    """Functions that give another result each time, where the chart may come to call them."""
    try:
        texts = dict(_texts(chart))
    except BROKEN:
        return (_UNREADABLE,)
    templates = {name: text for name, text in texts.items() if "templates/" in name}
    rendered = [name for name in templates if not _is_part(name)]
    found = {call.function for call in calls_in(templates, rendered)}
    found |= {name for text in templates.values() for name in _OF_TIMES.findall(text)}
    if any(_TPL.search(text) for text in templates.values()):
        # Any file and any value may be a template.
        more = {name: text for name, text in texts.items() if name not in templates}
        more |= {f"values {number}": text for number, text in enumerate(values)}
        found |= {call.function for call in calls_in(more, list(more))}
        found |= {name for text in more.values() for name in _OF_TIMES.findall(text)}
        found |= {call.function for call in calls_in(templates, list(templates))}
    return tuple(sorted(found))


def _is_part(name: str) -> bool:
    last = name.rpartition("/")[2]
    return last == _NOTES or last.startswith("_")


def _texts(chart: Tree | bytes) -> Iterator[tuple[str, str]]:
    if isinstance(chart, bytes):
        yield from _unpacked(chart)
        return
    for path, entry in chart.items():
        if path.suffix == ".tgz":
            yield from ((f"{path}/{name}", text) for name, text in _unpacked(entry.content))
        else:
            yield str(path), entry.content.decode(errors="replace")


def _unpacked(archive: bytes, depth: int = 0) -> Iterator[tuple[str, str]]:
    if depth > _MOST_NESTED:
        raise ExpandsTooMuch("charts in charts go on without end")
    with opened_tar(archive) as tar:
        for member in tar:
            content = tar.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            if not 0 <= member.size <= _MOST_BYTES:
                raise ExpandsTooMuch(f"{member.name} is too large")
            packed = content.read()
            if member.name.endswith(".tgz"):
                yield from (
                    (f"{member.name}/{name}", text) for name, text in _unpacked(packed, depth + 1)
                )
            else:
                yield member.name, packed.decode(errors="replace")
