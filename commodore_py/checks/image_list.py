"""The images of objects, to list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .images import images_of

if TYPE_CHECKING:
    from .base import Content

NAME = "image-list"


def extract(content: Content) -> list[tuple[str, str]] | None:
    """The images that an object names, with their fields."""
    return list(images_of(content)) or None
