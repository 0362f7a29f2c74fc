"""Texts in XML: masked, and without what XML 1.0 does not allow."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from commodore_py.adapters.masking import REDACTOR
from commodore_py.cli.output import streams

# Not allowed in XML 1.0, not even as references.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def attribute(value: object) -> str:
    """The value of an attribute, in quotes."""
    return quoteattr(_NO_XML.sub("\ufffd", REDACTOR.masked(str(value))))


def text(value: str) -> str:
    """The text of an element."""
    return escape(_NO_XML.sub("\ufffd", REDACTOR.masked(streams.unstyled(value))))
