"""What Jsonnet filters can call besides the standard library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import yaml
from commodore_py.adapters.jsonnet import Inexpressible, Native, to_jsonnet
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.jsonnet import Json

    from commodore_py.adapters.overlay import Overlay


def natives(overlay: Overlay, inventory: Mapping[str, Any]) -> dict[str, Native]:
    """The four functions, bound to what they may look at."""

    def yaml_load(file: object) -> object:
        content = _content(overlay, file)
        return located(yaml.load(content, name=str(file)), content, name=str(file), document=0)

    def yaml_load_all(file: object) -> object:
        content = _content(overlay, file)
        documents = yaml.load_all(content, name=str(file))
        return [
            located(document, content, name=str(file), document=number)
            for number, document in enumerate(documents)
        ]

    def list_dir(folder: object, basename: object) -> object:
        names = overlay.files_in(_path(folder))
        return list(names) if basename else [str(_path(folder) / name) for name in names]

    return {
        "commodore_inventory": Native((), lambda: inventory),
        "list_dir": Native(("dir", "basename"), list_dir),
        "yaml_load": Native(("file",), yaml_load),
        "yaml_load_all": Native(("file",), yaml_load_all),
    }


def located(value: object, content: bytes, *, name: str, document: int) -> Json:
    """A document as Jsonnet holds it; an error tells the line of what it cannot hold."""
    try:
        return to_jsonnet(value)
    except Inexpressible as error:
        line = yaml.line_at(content, (document, *error.path))
        error.where = f"{name}:{line}"
        raise


def _content(overlay: Overlay, file: object) -> bytes:
    content = overlay.read(_path(file))
    if content is None:
        raise CommodoreError("there is no such file")
    return content


def _path(value: object) -> Path:
    if not isinstance(value, str):
        raise CommodoreError("a path must be a string")
    return Path(value)
