"""Packages whose parts are imported on demand hand out what they name, whatever came before."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from commodore_py import catalog, dependencies, inventory, manifests

PACKAGES = {one.__name__: one for one in (catalog, dependencies, inventory, manifests)}


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_every_name_is_there_and_none_is_a_module(package: ModuleType) -> None:
    found = {name: getattr(package, name) for name in package.__all__}

    assert not [name for name, value in found.items() if isinstance(value, ModuleType)]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_hides_a_name(package: str) -> None:
    """A module that is imported becomes an attribute of its package, whatever that had there."""
    script = (
        "import importlib, pkgutil, sys, types\n"
        "package = importlib.import_module(sys.argv[1])\n"
        "for one in pkgutil.iter_modules(package.__path__, sys.argv[1] + '.'):\n"
        "    importlib.import_module(one.name)\n"
        "print([name for name in package.__all__"
        " if isinstance(getattr(package, name), types.ModuleType)])"
    )

    hidden = subprocess.check_output([sys.executable, "-c", script, package], text=True)

    assert hidden.strip() == "[]"


def test_a_name_that_is_not_there_is_no_name() -> None:
    for package in PACKAGES.values():
        with pytest.raises(AttributeError, match="nothing_like_that"):
            package.nothing_like_that  # noqa: B018 - the question is the test
