"""What code of Jsonnet filters can see: functions of ours, and the node as imports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.jsonnet.evaluate import Native, as_code, to_jsonnet
from commodore_py.errors import CommodoreError
from commodore_py.lib import LIBRARIES

from .documents import read_all, read_single

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.files.view import Files


# Beside the library that imports it; there are no such files.
_FOLDER = LIBRARIES / "lib" / ".inventory"
_ABOVE = f"{_FOLDER}/"
_NODE = _FOLDER / "node.jsonnet"
_PARAMETERS = "parameters"
_FIELD, _PARAMETER = "field", "parameter"


def natives(files: Files, inventory: Mapping[str, Any]) -> dict[str, Native]:
    """The four functions, bound to what they may look at."""

    def yaml_load(file: object) -> object:
        return read_single(_content(files, file), name=str(file))

    def yaml_load_all(file: object) -> object:
        return list(read_all(_content(files, file), name=str(file)))

    def list_dir(folder: object, basename: object) -> object:
        names = files.files_in(_path(folder))
        return list(names) if basename else [str(_path(folder) / name) for name in names]

    return {
        "commodore_inventory": Native((), lambda: inventory),
        "list_dir": Native(("dir", "basename"), list_dir),
        "yaml_load": Native(("file",), yaml_load, ready=True),
        "yaml_load_all": Native(("file",), yaml_load_all, ready=True),
    }


def _content(files: Files, file: object) -> bytes:
    content = files.read(_path(file))
    if content is None:
        raise CommodoreError("there is no such file")
    return content


def _path(value: object) -> Path:
    if not isinstance(value, str):
        raise CommodoreError("a path must be a string")
    return Path(value)


def read_node(path: Path | str, node: Mapping[str, Any]) -> bytes | None:
    """The node, one of its fields or one of its parameters, if that is what a path means.

    Only what a filter uses is converted: the whole node takes longer than most filters.
    """
    if not str(path).startswith(_ABOVE):
        return None
    path = Path(path)
    if path == _NODE:
        return _whole(node).encode()
    kind, _, number = path.stem.partition("-")
    if path.parent != _FOLDER or path.suffix != ".jsonnet" or not number.isdecimal():
        return None
    # One value alone: each that is read is recorded.
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
