"""Rooms whose front doors are imported when somebody uses them."""

from __future__ import annotations

import pkgutil
from importlib import import_module

import pytest

ROOMS = ("commodore_py.dependencies", "commodore_py.model")


@pytest.mark.parametrize("room", ROOMS)
def test_every_door_can_be_opened(room: str) -> None:
    module = import_module(room)

    assert [name for name in module.__all__ if not hasattr(module, name)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_no_door_has_the_name_of_a_file(room: str) -> None:
    # Importing that file would make a module of it.
    module = import_module(room)
    files = {one.name for one in pkgutil.iter_modules(module.__path__)}

    assert not files & {*module.__all__}


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_no_door_is_missed_as_usual(room: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing_of_that_name'"):
        import_module(room).nothing_of_that_name  # noqa: B018 - asking is enough
