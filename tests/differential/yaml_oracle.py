"""Who wrote YAML so far: PyYAML as Commodore, Kapitan's compile and Kapitan's natives ask it to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml
from kapitan.utils import PrettyDumper

from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from commodore_py.adapters.yaml.scalars import Multiline

# What PyYAML lets through of values that it cannot write.
_REFUSALS = (yaml.YAMLError, ValueError, RecursionError)


class NativesDumper(yaml.SafeDumper):
    """Values are JSON, in which no object is in two places."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


class OwnDumper(NativesDumper):
    """Block style, sequences indented below their key, several lines as a literal block."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002 - PyYAML's signature
        super().increase_indent(flow, indentless=False)


def _represent_string(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


OwnDumper.add_representer(str, _represent_string)


@dataclass(frozen=True)
class Writer:
    """One way of writing, with its oracle."""

    style: Style
    dumper: type[yaml.SafeDumper]


def _kapitan(name: str | None, multiline: Multiline) -> Writer:
    class Dumper(PrettyDumper.get_dumper_for_style(name)):  # type: ignore[misc] # chosen by name
        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML's signature
            return True

    return Writer(Style(multiline=multiline), Dumper)


WRITERS = {
    "own": Writer(Style(), OwnDumper),
    "kapitan literal": _kapitan("literal", "literal"),
    "kapitan folded": _kapitan("folded", "folded"),
    "kapitan double-quotes": _kapitan("double-quotes", "double-quotes"),
    "kapitan default": _kapitan(None, "plain"),
    "kapitan with aliases": Writer(
        Style(aliases=True), PrettyDumper.get_dumper_for_style("literal")
    ),
    "natives": Writer(Style(indent_sequences=False, multiline="plain"), NativesDumper),
}


def theirs(documents: Iterable[object], writer: Writer) -> str | None:
    """What PyYAML writes; None if it refuses."""
    try:
        text: str = yaml.dump_all(
            documents, Dumper=writer.dumper, default_flow_style=False, indent=2
        )
    except _REFUSALS:
        return None
    return text


def ours(documents: Iterable[object], writer: Writer) -> str | None:
    """What our emitter writes; None if it refuses."""
    try:
        return emit_documents(documents, writer.style)
    except CommodoreError:
        return None
