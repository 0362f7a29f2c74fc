"""Input types of our own; the others are Kapitan's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import copy, external, helm, jsonnet, remove
from .base import InputJob, InputMissing, Render, inputs_of

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUT_TYPES: Mapping[str, Render] = {
    "jsonnet": jsonnet.render,
    "copy": copy.render,
    "remove": remove.render,
    "external": external.render,
    "helm": helm.render,
}

__all__ = ["INPUT_TYPES", "InputJob", "InputMissing", "Render", "inputs_of"]
