"""A function with a large frame does what it did, and what it calls needs no more pieces."""

from __future__ import annotations

import subprocess
import sys

import pytest

from commodore_py.tuning import frames


def joined(first: str, second: str = "b", *, third: str = "c") -> str:
    """Something to call."""
    if first == "raise":
        raise ValueError(second)
    return first + second + third


@pytest.mark.parametrize("tuning", ["", "off"])
def test_the_function_is_the_same(monkeypatch: pytest.MonkeyPatch, tuning: str) -> None:
    monkeypatch.setenv("COMMODORE_TUNING", tuning)
    large = frames.in_one_piece(joined)

    assert large("a") == "abc"
    assert large("a", third="d") == "abd"
    with pytest.raises(ValueError, match="why"):
        large("raise", "why")
    assert (large is joined) == (tuning == "off")


def test_recursion_still_has_its_limit() -> None:
    """A frame that is large for Python's own count of frames is one frame."""
    code = (
        "from commodore_py.tuning import frames\n"
        "def deep(n): return 0 if n == 0 else 1 + deep(n - 1)\n"
        "print(frames.in_one_piece(deep)(900))\n"
        "try: deep(100_000)\n"
        "except RecursionError: print('refused')\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "900\nrefused\n"
