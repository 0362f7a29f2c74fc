"""Texts in XML: masked, and without what XML 1.0 does not allow."""

from __future__ import annotations

import re
from html import escape  # the one of `xml.sax` imports a client of HTTP

from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli.output import streams

# Not allowed in XML 1.0, not even as references.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# In attributes, parsers make plain spaces of these.
_SPACE = re.compile(r"[\t\n\r]")


def attribute(value: object) -> str:
    """The value of an attribute, in quotes."""
    found = escape(_NO_XML.sub("\ufffd", REDACTOR.masked(str(value))))
    return '"' + _SPACE.sub(lambda one: f"&#{ord(one[0])};", found) + '"'


def text(value: str) -> str:
    """The text of an element."""
    return escape(_NO_XML.sub("\ufffd", REDACTOR.masked(streams.unstyled(value))), quote=False)
