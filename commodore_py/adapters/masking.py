"""Texts that may be shown: URLs without their passwords."""

from __future__ import annotations

import re

_PASSWORD = re.compile(r"(://[^/\s:@]*):[^/\s]*@")


def without_password(text: str) -> str:
    """A URL, or a text with URLs in it, that may be shown."""
    return _PASSWORD.sub(r"\1:***@", text)
