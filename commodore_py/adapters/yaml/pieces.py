"""Values as lines of YAML that fit into a text that a person wrote (pure).

What YAML 1.1 and 1.2 read differently is quoted; lines are not folded.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import yaml

from .emitter import Unwritable, dumped
from .scalars import literal

_STEP = 2
_LONGEST_KEY = 1_000
"""A key in one line: YAML allows 1,024 characters."""
# Numbers of YAML 1.2, and booleans of YAML 1.1 that PyYAML takes for text.
_TYPED = re.compile(
    r"[-+]?(?:0[xob][0-9a-fA-F_]+|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)|[yYnN]"
)
_NO_LITERAL = re.compile(
    r"[^\n -~\xa1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]| \n| \Z|\n\n\Z"
)


class Layout(NamedTuple):
    """How far a file indents."""

    step: int = _STEP
    """A mapping below its key."""
    list_step: int = _STEP
    """A list below its key: in most files two columns, in others none."""
    blocks_of_text: bool = True
    """Whether text of several lines may stand as it is."""


def block(value: dict[object, object] | list[object], indent: int, layout: Layout) -> list[str]:
    """The lines of a mapping or list that is not empty."""
    pad = " " * indent
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            first, *others = lines_below(item, indent, layout)
            head = inline(key)
            if len(head) > _LONGEST_KEY:
                raise Unwritable(f"a key of {len(head)} characters cannot be written on one line")
            lines += [f"{pad}{head}:{first}", *others]
        return lines
    for item in value:
        if isinstance(item, dict | list) and item:
            first, *others = block(item, indent + _STEP, layout)
            lines += [f"{pad}- {first.lstrip()}", *others]
        else:
            first, *others = lines_below(item, indent, layout._replace(step=_STEP))
            lines += [f"{pad}-{first}", *others]
    return lines


def lines_below(value: object, indent: int, layout: Layout) -> list[str]:
    """Render what stands behind the colon of a key at an indent, and below it."""
    if isinstance(value, dict) and value:
        return ["", *block(value, indent + layout.step, layout)]
    if isinstance(value, list) and value:
        return ["", *block(value, indent + layout.list_step, layout)]
    if isinstance(value, str) and _may_be_literal(value, layout):
        return f" {literal(value, ' ' * (indent + layout.step))}".split("\n")
    return [f" {inline(value)}"]


def _may_be_literal(text: str, layout: Layout) -> bool:
    """Return whether a text of several lines may be a block that keeps them."""
    return (
        layout.blocks_of_text
        and "\n" in text.rstrip("\n")
        and not _NO_LITERAL.search(text)
        and (layout.step == _STEP or text[0] not in " \n")
    )


class _OneLine(yaml.SafeDumper):
    """Values as people write them."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "'" if _TYPED.fullmatch(text) else None
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style=style if text.isprintable() else '"'
    )


_OneLine.add_representer(str, _represent)


def inline(value: object, *, in_brackets: bool = False) -> str:
    """A value on one line."""
    text = dumped(
        [[value] if in_brackets else value],
        _OneLine,
        default_flow_style=True,
        width=math.inf,
        allow_unicode=True,
        sort_keys=False,
    )
    line = text.partition("\n")[0]
    # Letters of other languages are printed as they are: only what cannot be seen is escaped.
    line = "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in line)
    return line[1:-1] if in_brackets else line
