"""Charts: what their templates call, and whether their sub-charts are there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.files.archives import BadArchive, unpack_chart
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.model.tree import Tree

_CLOCK = ("now", "ago")
TIMED = frozenset(
    (
        *_CLOCK,
        # These take the current time for anything that is not a time, such as a string.
        *("date", "dateInZone", "date_in_zone", "htmlDate", "htmlDateInZone", "durationRound"),
    )
)
"""Functions that may give another result a second later."""
_UNSTEADY = (
    *(f"rand{what}" for what in ("Alpha", "AlphaNum", "Ascii", "Bytes", "Int", "Numeric")),
    *(f"gen{what}" for what in ("CA", "PrivateKey", "SelfSignedCert", "SignedCert")),
    *(f"gen{what}WithKey" for what in ("CA", "SelfSignedCert", "SignedCert")),
    *("uuidv4", "shuffle", "bcrypt", "htpasswd", "encryptAES"),
    *("lookup", "getHostByName"),
    *sorted(TIMED),
)

_QUOTED = r'"(?:\\.|[^"\\\n])*+"|`[^`]*+`'
# Nothing here is tried in two ways: other files may open what they never close.
_ACTION = re.compile(
    r"\{\{-?\s*+(?:/\*(?:(?!\*/).)*+\*/)?+"
    rf'(?:(?P<code>(?:{_QUOTED}|[^"`}}]++|}}(?!}})|["`])*+)}}}}|(?P<loose>(?:[^}}]++|}}(?!}}))*+)}}}})',
    re.DOTALL,
)
_TEXT = re.compile(_QUOTED)
_CALL = re.compile(rf"(?<![.$\w])(?:{'|'.join(_UNSTEADY)})(?!\w)")
_TPL = re.compile(r"(?<![.$\w])tpl(?!\w)")

_HEAD = "Chart.yaml"
_SUB_CHART = re.compile(r"charts/[^/]+/Chart\.yaml")
_MOST_NESTED = 8


@dataclass(frozen=True, slots=True)
class Chart:
    """The files of a chart, with those of packed sub-charts."""

    texts: Mapping[str, str]
    damage: tuple[str, ...] = ()
    """Why archives among them are not read."""

    @classmethod
    def of(cls, content: Tree | bytes) -> Chart:
        """A chart in a folder, or in an archive."""
        damage: list[str] = []
        texts = dict(_texts(content, damage))
        return cls(texts, tuple(damage))

    def unsteady(self, values: Iterable[str]) -> frozenset[str]:
        """Functions that may give another result each time, in any template of it.

        If one of them calls `tpl`, every other file and text of `values` counts as well.
        """
        texts = [text for name, text in self.texts.items() if "templates/" in name]
        if any(_TPL.search(text) for text in texts):
            texts = [*self.texts.values(), *values]
        return frozenset(function for text in texts for function, _ in calls_in(text))

    def clock_calls(self) -> Iterator[tuple[str, str]]:
        """Calls that read the clock in its own templates: functions, with file and line."""
        for name, text in sorted(self.texts.items()):
            if name.startswith("templates/") and name != "templates/NOTES.txt":
                for function, line in calls_in(text):
                    if function in _CLOCK:
                        yield function, f"{name}:{line}"

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
        listed = self._read(_HEAD).get("dependencies")
        listed = listed or self._read("requirements.yaml").get("dependencies")
        names = {below.get("name") for below in listed or [] if isinstance(below, Mapping)}
        heads = (name for name in self.texts if _SUB_CHART.fullmatch(name))
        present = {str(self._read(name).get("name", name.split("/")[1])) for name in heads}
        return _HEAD not in self.texts or not names <= present

    def _read(self, name: str) -> Mapping[str, Any]:
        """One of its YAML files; nothing, if there is none that can be read."""
        try:
            value = yaml.load(self.texts.get(name, ""), name=name)
        except CommodoreError:  # Helm will say so
            return {}
        return value if isinstance(value, Mapping) else {}


@lru_cache(maxsize=4096)  # `unsteady` and `clock_calls` read the same
def calls_in(text: str) -> tuple[tuple[str, int], ...]:
    """Functions that may give another result each time, with the lines where they are called."""
    calls: list[tuple[str, int]] = []
    line, counted = 1, 0
    for action in _ACTION.finditer(text, 0, text.rfind("}}") + len("}}")):
        # In text outside of templates, a quote may be alone, and what follows it is code.
        group = "loose" if action["code"] is None else "code"
        line += text.count("\n", counted, action.start(group))
        counted = action.start(group)
        code = _TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), action[group])
        found = _CALL.finditer(code)
        calls += [(call[0], line + code.count("\n", 0, call.start())) for call in found]
    return tuple(calls)


def _texts(content: Tree | bytes, damage: list[str], depth: int = 0) -> Iterator[tuple[str, str]]:
    """The files of a chart, those of a packed sub-chart below the name of its archive."""
    files: dict[str, bytes] = {}
    if not isinstance(content, bytes):
        files = {str(path): entry.content for path, entry in content.items()}
    elif depth > _MOST_NESTED:
        damage.append("charts in charts without end")
    else:
        try:
            files = {name: member.content for name, member in unpack_chart(content).items()}
        except BadArchive as error:
            damage.append(str(error))
    for name, file in files.items():
        if not name.endswith(".tgz"):
            yield name, file.decode(errors="replace")
            continue
        for below, text in _texts(file, damage, depth + 1):
            yield f"{name.removesuffix('.tgz')}/{below}", text
