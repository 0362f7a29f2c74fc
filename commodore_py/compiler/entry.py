"""One entry of a compile list, and what its input type gets to work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from commodore_py.model.spot import Spot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.isolated import Session
    from commodore_py.adapters.yaml.emitter import Style

    from .evaluation import Evaluation
    from .job import Job
    from .lookup import Lookup
    from .output import Output
    from .tags import Tags


class Entry:
    """One entry of a compile list, with every key that its input type knows."""

    __slots__ = ("fields", "index", "target")

    def __init__(self, target: str, index: int, fields: Mapping[str, Any]) -> None:
        self.target = target
        self.index = index
        self.fields = fields

    @property
    def spot(self) -> Spot:
        """The parameter that it is."""
        return Spot(self.target, ("kapitan", "compile", f"[{self.index}]"))

    @property
    def where(self) -> str:
        """The parameter that it is, for messages."""
        return str(self.spot)

    @property
    def input_type(self) -> str:
        """What kind of input it is."""
        return str(self.fields["input_type"])

    @property
    def input_paths(self) -> tuple[str, ...]:
        """Files, folders or patterns to compile."""
        return tuple(self.fields["input_paths"])

    @property
    def output_path(self) -> str:
        """The folder that the output goes to."""
        # `remove` needs none, and writes nothing.
        return self.fields["output_path"] or "."

    @property
    def output_type(self) -> str:
        """The format of the output."""
        return str(self.fields["output_type"])

    @property
    def prune(self) -> bool:
        """Whether empty values are left out."""
        return bool(self.fields["prune"])

    @property
    def ignore_missing(self) -> bool:
        """Whether a missing input is ignored."""
        return bool(self.fields["ignore_missing"])

    @property
    def may_fail(self) -> bool:
        """Whether the target goes on without it."""
        return bool(self.fields["continue_on_compile_error"])


class KapitanProcess(Protocol):
    """Programs in processes of their own, started when an entry needs them."""

    @property
    def job(self) -> Job:
        """The whole compile."""

    @property
    def helm(self) -> Session:
        """Helm as a library."""

    def render(self, job: InputJob) -> Output:
        """Render an entry by Kapitan itself."""


class InputJob(NamedTuple):
    """One entry of one target, and the target's output so far."""

    entry: Entry
    output: Output
    lookup: Lookup
    tags: Tags
    style: Style
    evaluation: Evaluation
    """Evaluates Jsonnet for this target."""
    kapitan: KapitanProcess
    """Runs Kapitan's own input types, elsewhere."""
