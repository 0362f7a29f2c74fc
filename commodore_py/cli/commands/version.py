"""`commodore version`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import click

from commodore_py import COMPATIBLE_WITH, __version__
from commodore_py.cli.exit_codes import TOOL_MISSING
from commodore_py.cli.output import formats, streams
from commodore_py.cli.settings.options import output_option
from commodore_py.workflows.tools.folder import BUILT_IN, installed_tools

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from commodore_py.workflows.tools.folder import Tool


# https://pkg.go.dev/debug/buildinfo: a header of 32 bytes, then the compiler's version,
# a text that begins with its length.
_GO_MARK = b"\xff Go buildinf:"
_GO_HEADER = 32


@dataclass(frozen=True, slots=True)
class Library:
    """A library that shapes the output; `build` is what it was compiled with, where it was."""

    name: str
    version: str
    build: str = ""


@click.command()
@output_option
def version(output: str) -> int:
    """Show the versions of commodore and of the libraries and tools that it uses.

    Exits with status 127 if helm or kustomize is not installed; jsonnet-bundler is built in.
    """
    libraries, tools, included = _libraries(), installed_tools(), BUILT_IN
    if output == "text":
        _show(libraries, tools, included)
    else:
        streams.data(formats.structured(_content(libraries, tools)))
    missing = [tool for tool in tools if tool.path is None and tool.name not in included]
    return TOOL_MISSING if missing else 0


def _libraries() -> list[Library]:
    from importlib.metadata import version as version_of

    builds = {"gojsonnet": _go_compiler(), "reclass-rs": _rust_compiler()}
    names = ("kapitan", "gojsonnet", "reclass-rs")
    return [Library(name, version_of(name), builds.get(name, "")) for name in names]


def _show(libraries: Iterable[Library], tools: Iterable[Tool], included: Container[str]) -> None:
    streams.result(
        f"Commodore {__version__} (compatible with Commodore {COMPATIBLE_WITH})", bold=True
    )
    streams.result("\nCore dependency versions", bold=True)
    for library in libraries:
        build = f", build info: {library.build}" if library.build else ""
        streams.result(f"{library.name}: {library.version}{build}")
    streams.result("\nExternal tool versions", bold=True)
    for tool in tools:
        if tool.path is None and tool.name in included:
            streams.result(f"{tool.name}: built in")
        elif tool.path is None:
            streams.result(f"{tool.name}: NOT FOUND IN PATH", fg="red", bold=True)
        else:
            streams.result(f"{tool.name}: {tool.path}, version: {tool.version}")


def _content(libraries: Iterable[Library], tools: Iterable[Tool]) -> dict[str, object]:
    return {
        "schema": "version/v1",
        "version": __version__,
        "compatible_with": COMPATIBLE_WITH,
        "libraries": [asdict(library) for library in libraries],
        "tools": [
            {
                "name": tool.name,
                "path": str(tool.path) if tool.path else None,
                "version": tool.version,
            }
            for tool in tools
        ],
    }


def _go_compiler() -> str:
    """Read from the file: loading the library would start a Go runtime."""
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("_gojsonnet")
    if spec is None or not spec.origin:
        return "the library is not installed"
    try:
        content = Path(spec.origin).read_bytes()
    except OSError as error:
        return f"the library cannot be read: {error.strerror}"
    start = content.find(_GO_MARK) + _GO_HEADER
    if start < _GO_HEADER or start >= len(content):
        return "unknown"
    length = content[start]
    text = content[start + 1 : start + 1 + length].decode("ascii", errors="replace")
    return f"Go compiler: {text}" if text.startswith("go") else "unknown"


def _rust_compiler() -> str:
    import reclass_rs

    try:
        return f"Rust compiler: {reclass_rs.buildinfo()['rustc_version']}"
    except (AttributeError, KeyError):  # other releases of it
        return "unknown"
