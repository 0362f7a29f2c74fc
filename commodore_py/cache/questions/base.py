"""The base of all questions, the view that they are asked about, and what changes an answer."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from commodore_py.adapters.files.overlay import Overlay
    from commodore_py.cache.digests import ValueDigests
    from commodore_py.cache.roots import Roots


class TargetViews(Protocol):
    """What component code sees of each target of the inventory."""

    def of(self, target: str) -> Mapping[str, Any]:
        """One target, by its name."""

    def names(self) -> tuple[str, ...]:
        """Every target."""


class View(NamedTuple):
    """The current state of everything that one piece of work can read."""

    files: Overlay
    roots: Roots
    values: ValueDigests
    known: dict[str, bytes]
    """Answers about the disk, shared by all work of a run: each is looked up once."""
    constant: dict[str, bytes]
    """Answers about the inventory, shared in the same way."""
    targets: TargetViews | None = None
    target: str = ""
    references: Mapping[str, str] = MappingProxyType({})
    node: Mapping[str, Any] | None = None

    @property
    def disk_only(self) -> bool:
        """Whether no file that this run wrote elsewhere hides one on disk."""
        return not self.files.written and not self.files.made


class FileChange(NamedTuple):
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


class ParameterChange(NamedTuple):
    """Parameters of targets that changed, as it concerns one instance."""

    instance: str
    targets: Collection[str]
    changed: Mapping[str, str] | None
    """By each key, the one that was edited; None if anything may have changed."""
    renamed: Collection[str]
    """Targets with other names of parameters."""
    lists: bool = False
    """Whether applications, classes and targets are added or removed."""

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

    def listed(self, target: str) -> str:
        """Why the change concerns code that reads the applications or classes of a target."""
        return (
            "it reads lists that decide about instances"
            if self.lists and target in self.targets
            else ""
        )

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
