"""What the modules of policies define and call, by their syntax trees (pure)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .builtins import FORBIDDEN, MISSING, SUPPORTED
from .sources import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from commodore_py.model.problems.severity import Severity

    Tree = Mapping[str, Any]

POLICY = re.compile(r"(deny|violation|warn)((?:_[a-zA-Z0-9]+)*)")
_PACKAGE = re.compile(r"\w+(?:\.\w+)*", re.ASCII)
EXCEPTION = "exception"
WHOLE_CATALOG = "catalog"
"""The package that gets all objects at once."""
_TAKEN = {"failed", "refused"}
_NO_SET = "write `{0} contains msg if {{ … }}`"
_BY_PROGRAM = "it is a function of the program opa, which the library does not have"


class Rule(NamedTuple):
    """A rule whose results are problems."""

    package: str
    name: str

    @property
    def severity(self) -> Severity:
        """Of its problems."""
        return "warning" if self.name.startswith("warn") else "error"

    @property
    def key(self) -> str:
        """What exceptions call it: empty for a plain `deny`."""
        return self.name.partition("_")[2]

    @property
    def code(self) -> str:
        """The code of its problems."""
        return f"policy/{self.key or self.package}"


class Module(NamedTuple):
    """A parsed module."""

    file: str
    package: str
    imports: frozenset[str]
    """The first names of what it calls by an import."""
    heads: tuple[Head, ...]
    calls: tuple[tuple[str, int], ...]
    """Dotted names of functions, with lines."""


class Head(NamedTuple):
    """What a rule defines."""

    name: str
    """Dotted, below its package."""
    line: int
    is_set: bool


def policy_rules(
    modules: Sequence[tuple[str, str, Iterable[Head]]],
) -> tuple[tuple[Rule, ...], tuple[Refusal, ...]]:
    """The rules to evaluate, by file, package and heads; and those that give no messages."""
    rules: set[Rule] = set()
    refused: list[Refusal] = []
    for file, package, heads in modules:
        for head in heads:
            name = head.name.partition(".")[0]
            if name != EXCEPTION and not POLICY.fullmatch(name):
                continue
            rule = Rule(package, name)
            if not _PACKAGE.fullmatch(package):
                message = f"package {package} has a name with other characters than letters"
                refused.append(Refusal(file, 1, message, "digits and _ are possible, too"))
            elif not head.is_set:
                message = f"{name} is not a set of messages"
                refused.append(Refusal(file, head.line, message, _NO_SET.format(name)))
            elif rule.key in _TAKEN:
                message = f"{name} has a name whose code has another meaning: {rule.code}"
                refused.append(Refusal(file, head.line, message, "rename it"))
            elif name != EXCEPTION:
                rules.add(rule)
    return tuple(sorted(rules)), tuple(dict.fromkeys(refused))


def refused_calls(modules: Sequence[Module]) -> Iterator[Refusal]:
    """Calls of built-ins that are missing or forbidden, and of functions that are not there."""
    defined = {f"data.{one.package}.{head.name}" for one in modules for head in one.heads}
    own: dict[str, set[str]] = {}
    for one in modules:
        own.setdefault(one.package, set()).update(head.name.partition(".")[0] for head in one.heads)
    for one in modules:
        for name, line in one.calls:
            first = name.partition(".")[0]
            if first in one.imports or first in own[one.package]:
                continue
            if first == "data":
                if name not in defined:
                    yield Refusal(one.file, line, f"there is no function {name}")
            elif name in FORBIDDEN:
                text = f"{name} is refused: policies see objects and data only"
                yield Refusal(one.file, line, text, "put what it needs into policies/data")
            elif name not in SUPPORTED:
                text = f"there is no function {name}"
                if name in MISSING:
                    text = f"the engine has no built-in function {name}"
                yield Refusal(one.file, line, text, _BY_PROGRAM if name in MISSING else "")


def module_of(file: str, tree: Tree) -> Module:
    """A module by the syntax tree of regorus."""
    ast = tree["ast"]
    path = _chain(ast["package"]["refr"])
    return Module(
        file,
        ".".join(path),
        frozenset(_name_of(one, tree) for one in ast["imports"]),
        tuple(_heads(ast["rules"])),
        tuple(dict.fromkeys(_calls(ast["rules"]))),
    )


def _name_of(one: Tree, tree: Tree) -> str:
    """The name of an import: the word after `as`, or the end of its path."""
    span = one.get("as")
    if span:
        text = tree["source"]["contents"].encode()
        return str(text[span["start"] : span["end"]].decode())
    return _chain(one["refr"])[-1]


def _heads(rules: Iterable[Tree]) -> Iterator[Head]:
    for rule in rules:
        ((kind, content),) = rule.items()
        if kind == "Spec":
            ((form, head),) = content["head"].items()
            chain = _chain(head["refr"])
            # A list is as good as a set.
            lists = form == "Set" or (form == "Compr" and bool(head["assign"]))
            yield Head(".".join(chain), head["span"]["line"], lists and len(chain) == 1)


def _calls(value: object) -> Iterator[tuple[str, int]]:
    """Functions that are called, or named in `with`."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            call = one.get("Call")
            if isinstance(call, dict):
                yield ".".join(_chain(call["fcn"])), call["span"]["line"]
            for replaced in one.get("with_mods") or ():
                for target in ("refr", "as"):
                    name = ".".join(_chain(replaced[target]))
                    if name in FORBIDDEN:
                        yield name, replaced["span"]["line"]
            waiting += one.values()


def _chain(reference: Tree) -> tuple[str, ...]:
    """The names of a dotted reference, as far as they are written there."""
    found: list[str] = []
    here: Any = reference
    while isinstance(here, dict) and here:
        if "Var" in here:
            found.append(str(here["Var"]["value"]))
            break
        if "RefDot" in here:
            found.append(str(here["RefDot"]["field"][1]))
            here = here["RefDot"]["refr"]
        elif "RefBrack" in here:
            index = here["RefBrack"]["index"]
            text = index.get("String") or index.get("RawString") or {}
            found.append(str(text.get("value", "[]")))
            here = here["RefBrack"]["refr"]
        else:
            break
    return tuple(reversed(found))
