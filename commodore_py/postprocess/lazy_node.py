"""The node of an instance as imports: only the parameters that a filter uses are converted.

To hand the whole node to Jsonnet takes longer than most filters do.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.jsonnet.evaluate import as_code, to_jsonnet
from commodore_py.lib import LIBRARIES

if TYPE_CHECKING:
    from collections.abc import Mapping

# Beside the library that imports it; there are no such files.
_FOLDER = LIBRARIES / "lib" / ".inventory"
_ABOVE = f"{_FOLDER}/"
_NODE = _FOLDER / "node.jsonnet"
_PARAMETERS = "parameters"
_FIELD, _PARAMETER = "field", "parameter"


def read_node(path: Path | str, node: Mapping[str, Any]) -> bytes | None:
    """The node, one of its fields or one of its parameters, if that is what a path means."""
    if not str(path).startswith(_ABOVE):
        return None
    path = Path(path)
    if path == _NODE:
        return _whole(node).encode()
    kind, _, number = path.stem.partition("-")
    if path.parent != _FOLDER or path.suffix != ".jsonnet" or not number.isdecimal():
        return None
    # One value alone: who watches is told of each that is looked at.
    fields = node if kind == _FIELD else node[_PARAMETERS]
    return as_code(fields[list(fields)[int(number)]]).encode()


def _whole(node: Mapping[str, Any]) -> str:
    fields = {_text(key): f"import '{_FIELD}-{n}.jsonnet'" for n, key in enumerate(node)}
    if _PARAMETERS in node:
        lazy = (
            f"{_text(key)}: import '{_PARAMETER}-{n}.jsonnet'"
            for n, key in enumerate(node[_PARAMETERS])
        )
        fields[_text(_PARAMETERS)] = f"{{{', '.join(lazy)}}}"
    return f"{{{', '.join(f'{key}: {value}' for key, value in fields.items())}}}"


def _text(value: object) -> str:
    return json.dumps(to_jsonnet(value), ensure_ascii=False)
