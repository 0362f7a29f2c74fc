"""What work asks about its inputs: one type per kind of question, and the one table of kinds.

A question is stored as the name of its kind, a space, and what it is about.
"""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias
from urllib.parse import quote, unquote

from commodore_py.adapters.files.overlay import NotReadable

from . import digests
from .digests import NOTHING, UNKNOWN, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from commodore_py.adapters.files.overlay import Kind, Overlay

    from .roots import Roots

_PARAMETERS = "parameters"


class TargetViews(Protocol):
    """What component code sees of each target of the inventory."""

    def of(self, target: str) -> Mapping[str, Any]:
        """One target, by its name."""

    def names(self) -> tuple[str, ...]:
        """Every target."""


@dataclass(slots=True)
class View:
    """Everything that one piece of work can ask about, as it is now."""

    files: Overlay
    roots: Roots
    values: digests.ValueDigests
    known: dict[str, bytes] = field(default_factory=dict)
    """Answers about the disk, shared by all work of a run: each is looked up once."""
    constant: dict[str, bytes] = field(default_factory=dict)
    """Answers about the inventory, shared in the same way."""
    targets: TargetViews | None = None
    target: str = ""
    references: Mapping[str, str] = field(default_factory=dict)
    node: Mapping[str, Any] | None = None

    def answer(self, stored: str) -> bytes:
        """The answer to a question in its stored form."""
        if self.disk_only:
            known = self.known.get(stored)
            if known is not None:
                return known
        return parse(stored).ask(self)

    @property
    def disk_only(self) -> bool:
        """Whether no file that this run wrote elsewhere hides one on disk."""
        return not self.files.written and not self.files.made


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that changed, with its real path."""

    path: str
    comes_or_goes: bool
    real: Callable[[str], str]
    """The real path of another one."""

    def matches(self, pattern: str) -> bool:
        """Whether a pattern matches the file."""
        folder, _, name = pattern.rpartition("/")
        real = pattern if "*" in folder else f"{self.real(folder)}/{name}"
        return fnmatch.fnmatchcase(self.path, real)


@dataclass(frozen=True, slots=True)
class ParameterChange:
    """Parameters of targets that changed, as it concerns one instance."""

    instance: str
    targets: Collection[str]
    changed: Mapping[str, str] | None
    """By each key, the one that was edited; None if anything may have changed."""
    renamed: Collection[str]
    """Targets with other names of parameters."""

    def reason(self, target: str, key: str | None) -> str:
        """Why the change concerns code that reads a parameter of a target, or all of them."""
        if target not in self.targets:
            return ""
        if self.changed is None:
            return "it decides about classes or applications"
        if key is None:
            return f"it reads all of {target}"
        if key not in self.changed:
            return ""
        return self.uses(key) + ("" if target == self.instance else f" of {target}")

    def uses(self, key: str) -> str:
        """The reason for a changed key."""
        source = (self.changed or {})[key]
        return f"it uses {key}" if key == source else f"it uses {key}, which looks up {source}"

    def names(self, target: str) -> str:
        """Why the change concerns code that reads the names of a target's parameters."""
        is_renamed = self.changed is not None and target in self.renamed
        return "it reads the names of parameters" if is_renamed else ""


Change: TypeAlias = FileChange | ParameterChange


@dataclass(frozen=True)
class Question:
    """One question; equal questions about the same inputs have equal answers."""

    about: str

    kind: ClassVar[str] = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.about}"

    def __reduce__(self) -> tuple[Callable[[str], Question], tuple[str]]:
        return parse, (str(self),)

    @property
    def name(self) -> str:
        """What it is about, for people."""
        return self.about

    def ask(self, view: View) -> bytes:
        """The answer now, as a digest."""
        raise NotImplementedError

    def describe(self, roots: Roots) -> str:
        """For people: that the answer has changed."""
        raise NotImplementedError

    def affected_by(self, change: Change) -> str:  # noqa: ARG002 - for kinds that are affected
        """Why a change may give another answer; empty if it cannot. Paths must be absolute."""
        return ""


class PathQuestion(Question):
    """A question about a file or a folder; its path is portable, see `Roots`."""

    @property
    def name(self) -> str:
        """The path without its root."""
        return self.about.partition(":")[2] or self.about

    def ask(self, view: View) -> bytes:
        """The answer for what is on disk, or for what this run wrote there."""
        if not view.roots.knows(self.about):
            return UNKNOWN
        path = view.roots.absolute(self.about)
        hidden = view.files.hides(path)
        try:
            quick = None if hidden or not view.disk_only else self.on_disk(path, view.roots)
            answer = self.look(view.files, Path(path), view.roots) if quick is None else quick
        except (NotReadable, OSError):
            answer = UNREADABLE
        if view.disk_only and not hidden and not self.is_own(path):
            view.known[str(self)] = answer
        return answer

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """The digest of what is found."""
        raise NotImplementedError

    def on_disk(self, path: str, roots: Roots) -> bytes | None:  # noqa: ARG002 - for the most frequent kinds
        """The same, faster, where only the disk counts; None if there is no faster way."""
        return None

    def is_own(self, path: str) -> bool:  # noqa: ARG002 - for patterns
        """Whether different work may find something else on the same disk."""
        return False

    def absolute(self, roots: Roots) -> PathQuestion:
        """The same question about an absolute path."""
        return type(self)(roots.absolute(self.about))

    def describe(self, roots: Roots) -> str:
        """Which file it is."""
        return f"{roots.absolute(self.about)} has changed"


class Content(PathQuestion):
    """What a file holds."""

    kind = "content"

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """Its content."""
        return digests.of_content(files.read(path), roots)

    def on_disk(self, path: str, roots: Roots) -> bytes | None:
        """Its content."""
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - very many
                return digests.of_content(file.read(), roots)
        except (FileNotFoundError, NotADirectoryError):
            return NOTHING

    def affected_by(self, change: Change) -> str:
        """By a change of the file."""
        same = isinstance(change, FileChange) and change.path == change.real(self.about)
        return "it is read" if same else ""


class FileEntry(Content):
    """What a file holds, and whether it is executable."""

    kind = "file"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its content and mode."""
        return digests.of_entry(files.entry(path))

    def on_disk(self, path: str, roots: Roots) -> None:  # noqa: ARG002 - no faster way
        """Only by the overlay."""
        return


class PathKind(PathQuestion):
    """Whether a path is a file, a folder, or nothing."""

    kind = "kind"

    @staticmethod
    def of(kind: Kind | None) -> bytes:
        """The digest of a kind."""
        return kind.encode() if kind else NOTHING

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its kind."""
        return self.of(files.kind(path))

    def on_disk(self, path: str, _: Roots) -> bytes | None:
        """Its kind."""
        if os.path.isdir(path):  # noqa: PTH112 - very many
            return b"folder"
        return b"file" if os.path.exists(path) else NOTHING  # noqa: PTH110 - as above

    def describe(self, roots: Roots) -> str:
        """What is there now is of another kind."""
        return f"something else is found at {roots.absolute(self.about)}"

    def affected_by(self, change: Change) -> str:
        """By the path coming or going."""
        if isinstance(change, FileChange) and change.comes_or_goes:
            return "it is looked up" if change.path == change.real(self.about) else ""
        return ""


class Listing(PathQuestion):
    """The names of the files in a folder."""

    kind = "listing"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """Its names."""
        return digests.of_names(files.files_in(path))

    def affected_by(self, change: Change) -> str:
        """By files of the folder that come or go."""
        if isinstance(change, FileChange) and change.comes_or_goes:
            folder = change.path.rpartition("/")[0]
            return "its folder is listed" if folder == change.real(self.about) else ""
        return ""


class FolderTree(PathQuestion):
    """Everything in a folder."""

    kind = "tree"

    def look(self, files: Overlay, path: Path, _: Roots) -> bytes:
        """All files in it."""
        return digests.of_tree(files.tree_at(path))

    def affected_by(self, change: Change) -> str:
        """By anything in the folder."""
        if isinstance(change, FileChange) and change.path.startswith(f"{change.real(self.about)}/"):
            return "it is in a folder that is read"
        return ""


class Expansion(PathQuestion):
    """The paths that match a pattern."""

    kind = "pattern"

    @staticmethod
    def of(paths: list[Path], roots: Roots) -> bytes:
        """The digest of some paths."""
        names = tuple(roots.portable(str(path)) for path in paths)
        return digests.of_names(names) if names else NOTHING

    def look(self, files: Overlay, path: Path, roots: Roots) -> bytes:
        """Its paths."""
        return self.of(files.expand(path), roots)

    def is_own(self, path: str) -> bool:
        """Patterns match output of the own target."""
        return glob.has_magic(path)

    def describe(self, roots: Roots) -> str:
        """It matches other paths now."""
        return f"something else is found at {roots.absolute(self.about)}"

    def affected_by(self, change: Change) -> str:
        """By paths that match, coming or going."""
        if isinstance(change, FileChange) and change.comes_or_goes and change.matches(self.about):
            return "it is looked up"
        return ""


class Location(Question):
    """The absolute path of something: asked by code that can see it."""

    kind = "location"

    @staticmethod
    def of(path: str) -> bytes:
        """The path as it is."""
        return path.encode(errors="surrogateescape")

    def ask(self, view: View) -> bytes:
        """The path."""
        if not view.roots.knows(self.about):
            return UNKNOWN
        return self.of(view.roots.absolute(self.about))

    def describe(self, roots: Roots) -> str:
        """It is elsewhere now."""
        return f"the code uses its own path, which was not {roots.absolute(self.about)}"


class CurrentDirectory(Question):
    """Where relative paths begin."""

    kind = "cwd"

    def ask(self, view: View) -> bytes:
        """The portable path."""
        here = view.roots.portable(os.getcwd())  # noqa: PTH109 - a text
        return here.encode(errors="surrogateescape")

    def describe(self, _: Roots) -> str:
        """Relative paths begin elsewhere now."""
        return "its paths begin in another current directory"


class InventoryPart(Question):
    """A part of the inventory: of the own target, of another one, or the names of all.

    It is written as in `lib/kapitan.libjsonnet`: quoted parts between slashes.
    """

    kind = "inventory"

    @classmethod
    def at(cls, *parts: str) -> InventoryPart:
        """The question about a part."""
        return cls("/".join(quote(part, safe="") for part in parts))

    @property
    def parts(self) -> list[str]:
        """The way to it."""
        return [unquote(part) for part in self.about.split("/")]

    def ask(self, view: View) -> bytes:
        """The digest of the value; of a whole target, that of the names of its parameters."""
        key = f"{view.target} {self}"
        known = view.constant.get(key)
        if known is None:
            known = view.constant[key] = self._answer(view)
        return known

    def _answer(self, view: View) -> bytes:
        if view.targets is None:
            return UNKNOWN
        match self.parts:
            case ["all"]:
                return view.values.of(view.targets.names())
            case ["self", *below]:
                return _part_of(view.targets.of(view.target), below, view)
            case ["targets", name, *below] if name in view.targets.names():
                return _part_of(view.targets.of(name), below, view)
        return NOTHING

    def describe(self, _: Roots) -> str:
        """Which part it is."""
        return f"the inventory has changed: {self._named()}"

    def _named(self) -> str:
        match self.parts:
            case ["self"]:
                return "names of parameters"
            case ["self", *below]:
                return ".".join(below)
            case ["targets", target, *below]:
                return ".".join(below) + f" of {target}" if below else f"names of {target}"
            case ["all"]:
                return "targets"
        return self.about

    def affected_by(self, change: Change) -> str:
        """By a change of the parameter, or of the names of parameters."""
        if not isinstance(change, ParameterChange):
            return ""
        match self.parts:
            case ["self"] | ["self", "parameters"]:
                return change.names(change.instance)
            case ["targets", target] | ["targets", target, "parameters"]:
                return change.names(target)
            case ["self", "parameters", key]:
                return change.reason(change.instance, key)
            case ["targets", target, "parameters", key]:
                return change.reason(target, key)
        return ""


def _part_of(target: Mapping[str, Any], below: list[str], view: View) -> bytes:
    match below:
        case []:
            # Code sees names only: the values behind them are questions of their own.
            return view.values.of((tuple(target), tuple(target[_PARAMETERS])))
        case [section] if section in target:
            return view.values.of(target[section])
        case [section, key] if section == _PARAMETERS and key in target[section]:
            return view.values.of(target[section][key])
    return NOTHING


class WholeTarget(Question):
    """Everything that code sees of one target."""

    kind = "target"

    def ask(self, view: View) -> bytes:
        """All of it."""
        if view.targets is None or self.about not in view.targets.names():
            return NOTHING
        return view.values.of(view.targets.of(self.about))

    def describe(self, _: Roots) -> str:
        """Which target it is."""
        return f"the inventory has changed: all of {self.about}"

    def affected_by(self, change: Change) -> str:
        """By any change of the target."""
        return change.reason(self.about, None) if isinstance(change, ParameterChange) else ""


class TargetList(Question):
    """The names of all targets."""

    kind = "targets"

    def ask(self, view: View) -> bytes:
        """Their names."""
        return NOTHING if view.targets is None else view.values.of(view.targets.names())

    def describe(self, _: Roots) -> str:
        """There are others now."""
        return "there are other targets"


class NodeValue(Question):
    """A value of the own node as the hierarchy has it, or the keys of one."""

    kind = "value"

    _KEYS = "keys of "

    @classmethod
    def at(cls, way: tuple[object, ...]) -> NodeValue:
        """The question about a value."""
        return cls(".".join(map(str, way)))

    @classmethod
    def keys_at(cls, way: tuple[object, ...]) -> NodeValue:
        """The question about the keys of a mapping."""
        return cls(cls._KEYS + ".".join(map(str, way)))

    def ask(self, view: View) -> bytes:
        """The value, or its keys."""
        way = self.about.removeprefix(self._KEYS)
        value: Any = view.node
        # The name of a parameter may hold dots: there is only one level below.
        for key in filter(None, way.split(".", 1) if way.startswith(f"{_PARAMETERS}.") else [way]):
            if not isinstance(value, Mapping) or key not in value:
                return NOTHING
            value = value[key]
        if not self.about.startswith(self._KEYS):
            return view.values.of(value)
        return view.values.of(tuple(value)) if isinstance(value, Mapping) else NOTHING

    def describe(self, _: Roots) -> str:
        """Which value it is."""
        return f"the inventory has changed: {self.about}"

    def affected_by(self, change: Change) -> str:
        """By a change of the parameter."""
        prefix = f"{_PARAMETERS}."
        if isinstance(change, ParameterChange) and self.about.startswith(prefix):
            return change.reason(change.instance, self.about.removeprefix(prefix))
        return ""


class Reference(Question):
    """The hash of a reference to a secret, by its backend and path."""

    kind = "reference"

    def ask(self, view: View) -> bytes:
        """Its hash."""
        return view.references.get(self.about, "").encode()

    def describe(self, _: Roots) -> str:
        """Its path."""
        return f"the reference {self.about.partition(':')[2]} has changed"


class Tool(Question):
    """The program that is run for a name; see `tools`."""

    kind = "tool"

    def ask(self, view: View) -> bytes:
        """Where the program is, and which one."""
        key = str(self)
        if key not in view.known:
            from .tools import tool_digest  # noqa: PLC0415 - for few entries only

            view.known[key] = tool_digest(self.about)
        return view.known[key]

    def describe(self, _: Roots) -> str:
        """Which tool it is."""
        return f"there is another {self.about.partition(':')[0]}"


class Environment(Question):
    """Variables and settings that a family of tools reads; see `tools`."""

    kind = "environment"

    def ask(self, view: View) -> bytes:
        """The variables and the contents of files."""
        key = str(self)
        if key not in view.known:
            from .tools import environment_digest  # noqa: PLC0415 - for few entries only

            view.known[key] = environment_digest()
        return view.known[key]

    def describe(self, _: Roots) -> str:
        """Whose environment it is."""
        return f"there is another environment of {self.about}"


KINDS: Mapping[str, type[Question]] = {
    one.kind: one
    for one in (
        Content,
        FileEntry,
        PathKind,
        Listing,
        FolderTree,
        Expansion,
        Location,
        CurrentDirectory,
        InventoryPart,
        WholeTarget,
        TargetList,
        NodeValue,
        Reference,
        Tool,
        Environment,
    )
}
"""Every kind of question, by the name that it is stored with."""

_parsed: dict[str, Question] = {}


def parse(stored: str) -> Question:
    """The question that was stored; each is made once. A ValueError if there is no such kind."""
    question = _parsed.get(stored)
    if question is None:
        kind, _, about = stored.partition(" ")
        if kind not in KINDS:
            raise ValueError(f"unknown kind of question: {kind}")
        question = _parsed[stored] = KINDS[kind](about)
    return question
