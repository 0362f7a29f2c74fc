"""Names of a package that are imported when somebody asks for them."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def on_demand(package: str, places: Mapping[str, str]) -> Callable[[str], object]:
    """The package's `__getattr__`: by name, the module of it that has the name."""

    def found(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places[name], package), name)
        # The next time, it is an attribute like any other.
        setattr(sys.modules[package], name, value)
        return value

    return found
