"""Input types of our own; the others are Kapitan's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import copy, remove
from .base import InputJob, InputMissing, Render, inputs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.compiler.output import Output


def _jsonnet(job: InputJob) -> Output:
    from . import jsonnet  # noqa: PLC0415 - results may all be in the cache

    return jsonnet.render(job)


def _external(job: InputJob) -> Output:
    from . import external  # noqa: PLC0415 - as above

    return external.render(job)


def _helm(job: InputJob) -> Output:
    from . import helm  # noqa: PLC0415 - as above

    return helm.render(job)


INPUT_TYPES: Mapping[str, Render] = {
    "jsonnet": _jsonnet,
    "copy": copy.render,
    "remove": remove.render,
    "external": _external,
    "helm": _helm,
}

__all__ = ["INPUT_TYPES", "InputJob", "InputMissing", "Render", "inputs_of"]
