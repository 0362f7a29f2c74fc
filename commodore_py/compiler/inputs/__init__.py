"""Every input type, by its name: a module each, and Kapitan's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import copy, external, helm, jsonnet, kapitan, remove
from .base import CachePolicy, InputMissing, InputType, inputs_of, record_nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

INPUT_TYPES: Mapping[str, InputType] = {
    "jsonnet": jsonnet,
    "copy": copy,
    "remove": remove,
    "external": external,
    "helm": helm,
    "jinja2": kapitan.JINJA2,
    "kadet": kapitan.KADET,
    "kustomize": kapitan.KUSTOMIZE,
    "cuelang": kapitan.CUELANG,
}

__all__ = [
    "INPUT_TYPES",
    "CachePolicy",
    "InputMissing",
    "InputType",
    "inputs_of",
    "record_nothing",
]
