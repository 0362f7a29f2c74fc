"""Container images: their names, tags and digests."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.manifests.objects import items, mapping, value_in

from .base import Issue, containers_in, pods_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .base import Content, Item, Settings

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


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Each image of an object once."""
    for item in items:
        for issue in _issues(item.content):
            yield item, issue


def _issues(content: Content) -> Iterator[Issue]:
    for image, field in dict(_images_of(content)).items():
        match = _IMAGE.fullmatch(image)
        if match is None:
            yield Issue(
                "images/invalid",
                f"{image!r} is not a valid name of an image",
                field,
                "write it as registry/name:tag",
                subject=image,
                value=image,
            )
        elif not match["digest"] and match["tag"] in (None, "latest"):
            yield Issue(
                "images/no-tag",
                f"image {image} has {'the tag latest' if match['tag'] else 'no tag'}",
                field,
                "name a version: it may be another image tomorrow",
                subject=image,
                value=image,
            )
        elif not match["digest"]:
            text = f"image {image} has no digest"
            yield Issue("images/no-digest", text, field, subject=image, value=image)


@cache
def _fields() -> tuple[Mapping[str, list[str]], Mapping[str, list[str]]]:
    """Fields with images, and those with pods, by kind and group."""
    table = tomllib.loads(Path(__file__).with_name("image_fields.toml").read_text("utf-8"))
    return table["fields"], table["pods"]


def _images_of(content: Content) -> Iterator[tuple[str, str]]:
    """The images that an object names, and the fields."""
    fields, pods = _fields()
    group = str(content["apiVersion"]).rpartition("/")[0]
    kind = f"{content['kind']}.{group}" if group else content["kind"]
    for path in fields.get(kind, ()):
        for at, image in _at(content, path.split("."), ""):
            if isinstance(image, str) and image:
                yield image, at
    for path in pods.get(kind, ()):
        for at, pod in _at(content, path.split("."), ""):
            yield from _of_pod(at, mapping(pod))
    for path, pod in pods_in(content):
        yield from _of_pod(path, pod)


def _at(value: Any, steps: Sequence[str], path: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - a part of an object
    """Values at a path; `[]` is each item of a list."""
    if not steps:
        yield path, value
        return
    name, many, _ = steps[0].partition("[]")
    below, at = mapping(value).get(name), f"{path}.{name}" if path else name
    if many:
        for number, item in enumerate(items(below)):
            yield from _at(item, steps[1:], f"{at}[{number}]")
    elif below is not None:
        yield from _at(below, steps[1:], at)


def _of_pod(path: str, pod: Content) -> Iterator[tuple[str, str]]:
    for number, volume in enumerate(items(pod.get("volumes"))):
        reference = value_in(volume, "image", "reference")
        if isinstance(reference, str) and reference:
            yield reference, f"{path}.volumes[{number}].image.reference"
    for inner, container in containers_in(pod):
        image: Any = container.get("image")
        if isinstance(image, str) and image and image != _AUTO:
            yield image, f"{path}.{inner}.image"
        for number, variable in enumerate(items(container.get("env"))):
            name, value = value_in(variable, "name"), value_in(variable, "value")
            if str(name).startswith(_RELATED) and isinstance(value, str) and value:
                yield value, f"{path}.{inner}.env[{number}].value"
