"""Container images: their names, tags and digests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .base import Issue, containers_in, items, pods_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .base import Content, Context

NAME = "images"
_DOMAIN = r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)"
_IMAGE = re.compile(
    rf"(?P<name>(?:(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[0-9a-fA-F:]+\])(?::\d+)?/)?"
    r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*)"
    r"(?::(?P<tag>\w[\w.-]{0,127}))?(?:@(?P<digest>[a-z0-9+._-]+:[0-9a-fA-F]{32,}))?"
)
_RELATED = "RELATED_IMAGE_"
# Replaced when the pod starts, by a controller.
_AUTO = "auto"


def unavailable(_context: Context) -> str:
    """Never: it needs nothing."""
    return ""


def salt(_api_version: str, _kind: str, _context: Context) -> str:
    """Nothing besides the object."""
    return "1"


def examine(content: Content, _context: Context) -> Iterator[Issue]:
    """Each image of an object once."""
    for image, field in dict(images_of(content)).items():
        found = _IMAGE.fullmatch(image)
        if found is None:
            yield Issue(
                "images/invalid",
                f"{image!r} is not a valid name of an image",
                field,
                "write it as registry/name:tag",
                subject=image,
                value=image,
            )
        elif not found["digest"] and found["tag"] in (None, "latest"):
            yield Issue(
                "images/no-tag",
                f"image {image} has {'the tag latest' if found['tag'] else 'no tag'}",
                field,
                "name a version: it may be another image tomorrow",
                subject=image,
                value=image,
            )
        elif not found["digest"]:
            text = f"image {image} has no digest"
            yield Issue("images/no-digest", text, field, subject=image, value=image)


def images_of(content: Content) -> Iterator[tuple[str, str]]:
    """The images that an object names, and the fields."""
    for path, pod in pods_in(content):
        for inner, container in containers_in(pod):
            image: Any = container.get("image")
            if isinstance(image, str) and image and image != _AUTO:
                yield image, f"{path}.{inner}.image"
            for number, variable in enumerate(items(container.get("env"))):
                named = isinstance(variable, dict) and str(variable.get("name"))
                value = variable.get("value") if isinstance(variable, dict) else None
                if named and named.startswith(_RELATED) and isinstance(value, str) and value:
                    yield value, f"{path}.{inner}.env[{number}].value"
