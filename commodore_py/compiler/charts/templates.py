"""Templates of charts: which functions they call that give another result each time (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RANDOM = frozenset(
    {
        *(f"rand{what}" for what in ("Alpha", "AlphaNum", "Ascii", "Bytes", "Int", "Numeric")),
        *(f"gen{what}" for what in ("CA", "PrivateKey", "SelfSignedCert", "SignedCert")),
        *(f"gen{what}WithKey" for what in ("CA", "SelfSignedCert", "SignedCert")),
        *("uuidv4", "shuffle", "bcrypt", "htpasswd", "encryptAES"),
    }
)
CLOCK = frozenset({"now", "ago"})
WORLD = frozenset({"lookup", "getHostByName"})

_QUOTED = r'"(?:\\.|[^"\\\n])*+"|`[^`]*+`'
# Nothing here is tried in two ways: other files may open what they never close.
_ACTION = re.compile(
    r"\{\{-?\s*+(?:/\*(?:(?!\*/).)*+\*/)?+"
    rf'(?:(?P<code>(?:{_QUOTED}|[^"`}}]++|}}(?!}})|["`])*+)}}}}|(?P<loose>(?:[^}}]++|}}(?!}}))*+)}}}})',
    re.DOTALL,
)
_TEXT = re.compile(_QUOTED)
_CALL = re.compile(rf"(?<![.$\w])(?:{'|'.join(sorted(RANDOM | CLOCK | WORLD))})(?!\w)")
_USE = re.compile(r'(?<![.$\w])(?:include|template)\s+(?:"(?P<name>[^"]+)"|(?P<made>[^"\s]))')
_OPEN = re.compile(r'(?P<word>if|range|with|define|block)(?!\w)(?:\s*"(?P<name>[^"]+)")?')
_END = re.compile(r"end(?!\w)")

_ANY = "*"


@dataclass(frozen=True, slots=True)
class Call:
    """A function that is called in a template."""

    function: str
    file: str
    line: int


@dataclass(slots=True)
class _Part:
    """A named template, or what a file holds outside of those."""

    calls: list[Call] = field(default_factory=list)
    uses: set[str] = field(default_factory=set)


def calls_in(templates: Mapping[str, str], rendered: Iterable[str]) -> tuple[Call, ...]:
    """Calls that files come to, in their own text or by the named templates that they use."""
    parts: dict[str, _Part] = {}
    for file, text in templates.items():
        _read(file, text, parts)
    waiting = [_top(file) for file in rendered]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        uses = parts[name].uses if name in parts else ()
        # A name that is only known at run time may be any.
        waiting += parts if _ANY in uses and _ANY not in seen else uses
    found = {call for name in seen & parts.keys() for call in parts[name].calls}
    return tuple(sorted(found, key=lambda call: (call.file, call.line, call.function)))


def _read(file: str, text: str, parts: dict[str, _Part]) -> None:
    blocks: list[str] = []
    here = [_top(file)]
    for code, line in _actions(text):
        opened = _OPEN.match(code)
        if opened:
            name = opened["name"] if opened["word"] in ("define", "block") else None
            if name and opened["word"] == "block":
                parts.setdefault(here[-1], _Part()).uses.add(name)
            blocks.append(name or "")
            here += [name] if name else []
        elif _END.match(code) and blocks and blocks.pop():
            here.pop()
        part = parts.setdefault(here[-1], _Part())
        part.uses |= {use["name"] or _ANY for use in _USE.finditer(code)}
        plain = _TEXT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), code)
        for call in _CALL.finditer(plain):
            at = line + plain.count("\n", 0, call.start())
            part.calls.append(Call(call[0], file, at))


def _actions(text: str) -> Iterator[tuple[str, int]]:
    for action in _ACTION.finditer(text, 0, text.rfind("}}") + len("}}")):
        # In text outside of templates, a quote may be alone, and what follows it is code.
        group = "loose" if action["code"] is None else "code"
        code = action[group]
        start = action.start(group) + len(code) - len(code.lstrip())
        yield code.strip(), text.count("\n", 0, start) + 1


def _top(file: str) -> str:
    return f"\0{file}"
