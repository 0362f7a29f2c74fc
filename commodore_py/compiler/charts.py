"""Charts: what their templates call, and which of their sub-charts are used."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.files.archives import BadArchive, opened_tar
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.tree import Tree

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
# These take the current time for anything that is not a time, such as a string.
_DATES = frozenset(
    {"date", "dateInZone", "date_in_zone", "htmlDate", "htmlDateInZone", "durationRound"}
)

_QUOTED = r'"(?:\\.|[^"\\\n])*+"|`[^`]*+`'
# Nothing here is tried in two ways: other files may open what they never close.
_ACTION = re.compile(
    r"\{\{-?\s*+(?:/\*(?:(?!\*/).)*+\*/)?+"
    rf'(?:(?P<code>(?:{_QUOTED}|[^"`}}]++|}}(?!}})|["`])*+)}}}}|(?P<loose>(?:[^}}]++|}}(?!}}))*+)}}}})',
    re.DOTALL,
)
_TEXT = re.compile(_QUOTED)
_CALL = re.compile(rf"(?<![.$\w])(?:{'|'.join(sorted(RANDOM | CLOCK | WORLD | _DATES))})(?!\w)")
_TPL = re.compile(r"(?<![.$\w])tpl(?!\w)")
_USE = re.compile(r'(?<![.$\w])(?:include|template)\s+(?:"(?P<name>[^"]+)"|(?P<made>[^"\s]))')
_OPEN = re.compile(r'(?P<word>if|range|with|define|block)(?!\w)(?:\s*"(?P<name>[^"]+)")?')
_END = re.compile(r"end(?!\w)")

# Whether a template comes to its calls is a matter of its conditions, which are not read.
EFFECTS = (
    (RANDOM, "may generate new values in every compile"),
    (CLOCK, "may look at the clock"),
    (WORLD, "may ask for what is not there while compiling"),
)

_ANY = "*"
_HEAD = "Chart.yaml"
_MOST_NESTED = 8
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Call:
    """A function that is called in a template."""

    function: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Chart:
    """The files of a chart, with those of packed sub-charts, and the folder of it among them."""

    texts: Mapping[str, str]
    folder: str = ""
    damage: tuple[str, ...] = ()
    """Why archives among them are read in part only."""

    @classmethod
    def of(cls, content: Tree | bytes) -> Chart:
        """A chart in a folder, or in an archive."""
        texts: dict[str, str] = {}
        damage: list[str] = []
        if isinstance(content, bytes):
            for name, text in _unpacked(content, damage):
                texts[name.partition("/")[2]] = text
            return cls(texts, damage=tuple(damage))
        for path, entry in content.items():
            if path.suffix != ".tgz":
                texts[str(path)] = entry.content.decode(errors="replace")
                continue
            for name, text in _unpacked(entry.content, damage):
                texts[str(path.parent / name)] = text
        return cls(texts, damage=tuple(damage))

    def calls(self, values: Mapping[str, Any]) -> tuple[Call, ...]:
        """Calls of functions that give another result each time, in templates that are used."""
        return calls_in(self._templates(), self._rendered(values))

    def unsteady(self, values: Iterable[str]) -> tuple[str, ...]:
        """Functions that may give another result each time, whatever is switched on by values.

        This decides on caching and is stricter than `calls`: every template counts as rendered,
        and if one of them calls `tpl`, so does every other file and text of `values`.
        """
        texts = self._templates()
        if any(_TPL.search(text) for text in texts.values()):
            more = {f"values {number}": text for number, text in enumerate(values)}
            texts = {**self.texts, **more}
        return tuple(sorted({call.function for call in calls_in(texts, texts)}))

    @property
    def title(self) -> str:
        """Its name and version, as far as it has them."""
        head = self._read(_HEAD)
        return " ".join(str(head[key]) for key in ("name", "version") if head.get(key))

    @property
    def lacks_charts(self) -> bool:
        """True if `helm dependency update` has something to fetch, or Helm to complain about.

        Like for Helm, sub-charts count by their names only.
        """
        wanted = {dependency.get("name") for dependency in self._dependencies()}
        return _HEAD not in self.texts or not wanted <= {*self._sub_charts()}

    def _templates(self) -> dict[str, str]:
        return {name: text for name, text in self.texts.items() if "templates/" in name}

    def _rendered(self, values: Mapping[str, Any]) -> Iterator[str]:
        """The templates whose text is output, those of sub-charts included."""
        values = _over(self._read("values.yaml"), values)
        if self._read(_HEAD).get("type") != "library":
            prefix = f"{self.folder}templates/"
            for name in self.texts:
                last = name.rpartition("/")[2]
                if name.startswith(prefix) and last != "NOTES.txt" and not last.startswith("_"):
                    yield name
        dependencies = self._dependencies()
        for name, sub_chart in self._sub_charts().items():
            uses = [dependency for dependency in dependencies if dependency.get("name") == name]
            if uses and not any(_is_on(use, values) for use in uses):
                continue
            called = str((uses[0].get("alias") if uses else None) or name)
            below = values.get(called)
            yield from sub_chart._rendered(below if isinstance(below, Mapping) else {})  # noqa: SLF001 - the same class

    def _dependencies(self) -> list[Mapping[str, Any]]:
        listed = self._read(_HEAD).get("dependencies")
        listed = listed or self._read("requirements.yaml").get("dependencies")
        return [one for one in listed or [] if isinstance(one, Mapping)]

    def _sub_charts(self) -> dict[str, Chart]:
        prefix = f"{self.folder}charts/"
        charts = {}
        for name in self.texts:
            folder, _, file = name.removeprefix(prefix).partition("/")
            if name.startswith(prefix) and file == _HEAD:
                chart = Chart(self.texts, f"{prefix}{folder}/")
                charts[str(chart._read(_HEAD).get("name", folder))] = chart
        return charts

    def _read(self, name: str) -> Mapping[str, Any]:
        """One of its YAML files; nothing, if there is none that can be read."""
        try:
            value = yaml.load(self.texts.get(f"{self.folder}{name}", ""), name=name)
        except CommodoreError:  # Helm will say so
            return {}
        return value if isinstance(value, Mapping) else {}


@dataclass(slots=True)
class _Part:
    """A named template, or what a file holds outside of those: its name there is empty."""

    calls: list[tuple[str, int]] = field(default_factory=list)
    """Functions and lines."""
    uses: set[str] = field(default_factory=set)


def calls_in(templates: Mapping[str, str], rendered: Iterable[str]) -> tuple[Call, ...]:
    """Calls that files come to, in their own text or by the named templates that they use."""
    calls: dict[str, list[Call]] = {}
    uses: dict[str, set[str]] = {}
    for file, text in templates.items():
        for name, part in _parts_in(text).items():
            key = name or _top(file)
            calls.setdefault(key, []).extend(Call(call, file, line) for call, line in part.calls)
            uses.setdefault(key, set()).update(part.uses)
    waiting = [_top(file) for file in rendered]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        used = uses.get(name, ())
        # A name that is only known at run time may be any.
        waiting += uses if _ANY in used and _ANY not in seen else used
    reached = {call for name in seen & calls.keys() for call in calls[name]}
    return tuple(sorted(reached, key=lambda call: (call.file, call.line, call.function)))


@lru_cache(maxsize=4096)  # `unsteady` and `calls` read the same
def _parts_in(text: str) -> Mapping[str, _Part]:
    parts: dict[str, _Part] = {}
    blocks: list[str] = []
    here = [""]
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
        plain = _TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), code)
        for call in _CALL.finditer(plain):
            part.calls.append((call[0], line + plain.count("\n", 0, call.start())))
    return parts


def _actions(text: str) -> Iterator[tuple[str, int]]:
    line, counted = 1, 0
    for action in _ACTION.finditer(text, 0, text.rfind("}}") + len("}}")):
        # In text outside of templates, a quote may be alone, and what follows it is code.
        group = "loose" if action["code"] is None else "code"
        code = action[group]
        start = action.start(group) + len(code) - len(code.lstrip())
        line += text.count("\n", counted, start)
        counted = start
        yield code.strip(), line


def _top(file: str) -> str:
    return f"\0{file}"


def _is_on(dependency: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    for path in str(dependency.get("condition") or "").split(","):
        value: Any = values
        for key in path.strip().split("."):
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, bool):
            return value
    return True


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[key] = _over(old, value) if both else value  # type: ignore[arg-type] # both are
    return merged


def _unpacked(archive: bytes, damage: list[str], depth: int = 0) -> Iterator[tuple[str, str]]:
    """The files of an archive, and of archives in it; of a broken one, up to the damage."""
    if depth > _MOST_NESTED:
        damage.append("charts in charts without end")
        return
    try:
        with opened_tar(archive) as tar:
            for member in tar:
                content = tar.extractfile(member) if member.isfile() else None
                if content is None:
                    continue
                name = member.name.removeprefix("./")
                if not 0 <= member.size <= _MOST_BYTES:
                    damage.append(f"{name} is too large")
                elif name.endswith(".tgz"):
                    folder = name.rpartition("/")[0]
                    for below, text in _unpacked(content.read(), damage, depth + 1):
                        yield f"{folder}/{below}", text
                else:
                    yield name, content.read().decode(errors="replace")
    except BadArchive as error:
        damage.append(str(error))
