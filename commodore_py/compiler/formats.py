"""Values to the bytes of output files, as Kapitan writes them (pure)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.jsonnet.values import kind_of
from commodore_py.adapters.yaml.emitter import Style, emit_documents
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .tags import Tags

_BY_SUFFIX = (".json", ".yaml", ".yml", ".toml")


@dataclass(frozen=True, slots=True)
class Format:
    """How an entry's values become files."""

    output_type: str
    prune: bool
    style: Style
    tags: Tags

    def file(self, name: str, value: Any) -> tuple[str, bytes]:  # noqa: ANN401 - what Jsonnet printed
        """Name and content of the file that a value becomes."""
        kind, file_name = _kind_and_name(self.output_type, name)
        try:
            if self.prune:
                value = pruned(value)
            return file_name, _written(kind, self.tags.in_value(value), self.style)
        except CommodoreError as error:
            error.where = f"{file_name}: {error.where}" if error.where else file_name
            raise
        except RecursionError as error:
            raise CommodoreError("the value is nested too deeply", where=file_name) from error
        except UnicodeEncodeError as error:
            problem = f"the value is not valid Unicode: {error.reason}"
            raise CommodoreError(problem, where=file_name) from error


def style_of(parameters: Mapping[str, Any]) -> Style:
    """How a target wants its long texts written."""
    style = parameters.get("multiline_string_style") or "literal"
    match style:
        case "literal" | "folded" | "double-quotes":
            return Style(multiline=style)
        case _:
            return Style(multiline="plain")


def pruned(value: Any) -> Any:  # noqa: ANN401 - what Jsonnet printed
    """Without nulls and empty containers; what only becomes empty by that stays."""
    match value:
        case list():
            items = [pruned(item) for item in value]
            return [item for item in items if item is not None] if value else None
        case dict():
            fields = {key: pruned(item) for key, item in value.items()}
            kept = {key: item for key, item in fields.items() if item is not None}
            return kept if value else None
        case _:
            return value


def _kind_and_name(output_type: str, name: str) -> tuple[str, str]:
    if output_type == "plain":
        return "plain", name
    if output_type != "auto":
        return output_type, f"{name}.{output_type}"
    for suffix in _BY_SUFFIX:
        # A hidden file such as `.json` is all name and no suffix.
        if name.endswith(suffix) and not name.endswith(f"/{suffix}") and name != suffix:
            return suffix[1:], name
    return "yaml", f"{name}.yaml"


def _written(kind: str, value: object, style: Style) -> bytes:
    if kind == "plain":
        if isinstance(value, str):
            return value.encode()
        raise CommodoreError(
            f"output_type plain needs a string, not {kind_of(value)}",
            hint="convert it (std.toString, std.manifestJson, ...), or choose another output_type",
        )
    if not value:
        return b""
    match kind:
        case "json":
            return json.dumps(value, indent=2, sort_keys=True).encode()
        case "toml":
            return _toml(value)
        case _:
            return emit_documents(_documents(value), style).encode()


def _documents(value: object) -> list[object]:
    match value:
        case dict():
            return [value]
        case list():
            return value
        case str():
            # Kapitan iterates over anything else: a string is a document for each character.
            return list(value)
        case _:
            raise CommodoreError(
                f"a file cannot hold {json.dumps(value)} alone",
                hint="put it into an object or a list, or set output_type: json",
            )


def _toml(value: object) -> bytes:
    if not isinstance(value, dict):
        raise CommodoreError(f"output_type toml needs an object, not {kind_of(value)}")
    import toml  # hardly any component writes TOML

    try:
        text: str = toml.dumps(value)
    except (TypeError, ValueError, AttributeError, IndexError) as error:
        raise CommodoreError(f"TOML cannot hold this value: {error}") from error
    return text.encode()
