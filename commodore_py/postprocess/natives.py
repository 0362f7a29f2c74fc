"""What Jsonnet filters can call besides the standard library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.jsonnet.evaluate import Native
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.adapters.files.overlay import Overlay

    from .documents import Documents


def natives(
    overlay: Overlay, inventory: Mapping[str, Any], documents: Documents
) -> dict[str, Native]:
    """The four functions, bound to what they may look at."""

    def yaml_load(file: object) -> object:
        return documents.single(_content(overlay, file), name=str(file))

    def yaml_load_all(file: object) -> object:
        return list(documents.all(_content(overlay, file), name=str(file)))

    def list_dir(folder: object, basename: object) -> object:
        names = overlay.files_in(_path(folder))
        return list(names) if basename else [str(_path(folder) / name) for name in names]

    return {
        "commodore_inventory": Native((), lambda: inventory),
        "list_dir": Native(("dir", "basename"), list_dir),
        "yaml_load": Native(("file",), yaml_load, ready=True),
        "yaml_load_all": Native(("file",), yaml_load_all, ready=True),
    }


def _content(overlay: Overlay, file: object) -> bytes:
    content = overlay.read(_path(file))
    if content is None:
        raise CommodoreError("there is no such file")
    return content


def _path(value: object) -> Path:
    if not isinstance(value, str):
        raise CommodoreError("a path must be a string")
    return Path(value)
