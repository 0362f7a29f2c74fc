"""The content of a class file, and slips in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commodore_py.inventory.engine.reader import read

if TYPE_CHECKING:
    import pytest


def test_a_slip_of_a_field_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    read(b"classes: []\nparamters:\n  a: 1\nnotes: x\n", name="slip.yml")

    assert caplog.messages == ["slip.yml:2: key `paramters` is ignored; did you mean `parameters`?"]
