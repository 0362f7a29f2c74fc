"""Every input type, by its name: a module each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import copy, cuelang, external, helm, jinja2, jsonnet, kadet, kustomize, remove
from .base import InputType

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUT_TYPES: Mapping[str, InputType] = {
    "jsonnet": jsonnet,
    "copy": copy,
    "remove": remove,
    "external": external,
    "helm": helm,
    "jinja2": jinja2,
    "kadet": kadet,
    "kustomize": kustomize,
    "cuelang": cuelang,
}

__all__ = ["INPUT_TYPES", "InputType"]
