"""The other side of the input type kadet: one entry by Kapitan's class, in a process of its own."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .parts import arguments_of, confine_templates, references_of, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.compiler.job import Job


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments of the other process for one entry."""

    target: str
    fields: Mapping[str, Any]
    views: Mapping[str, Any]
    search_paths: tuple[str, ...]
    scratch: Path
    job: Job


class _Inventory(dict[str, Any]):
    """Targets in the form of Kapitan's classes; topics are not shared between targets."""

    topics: Mapping[str, Any] = {}

    def consumed_topics(self, target: str) -> set[str]:  # noqa: ARG002 - Kapitan's signature
        return set()


def run(request: Request) -> str:
    """Compile an entry; returns what is wrong with it, if anything."""
    from kapitan import cached
    from kapitan.inputs.kadet import Kadet
    from kapitan.inventory.model.input_types import CompileInputTypeConfig
    from pydantic import TypeAdapter

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    confine_templates()
    arguments = arguments_of(request.job)
    cached.args = arguments
    cached.inv = cached.global_inv = _Inventory(request.views)
    cached.inventory_global_kadet = {}
    model = TypeAdapter(CompileInputTypeConfig).validate_python(dict(request.fields))
    compiler = Kadet(
        str(request.scratch / "compiled"),
        list(request.search_paths),
        references_of(request.job, request.scratch),
        request.target,
        arguments,
    )
    try:
        compiler.compile_obj(model)
    except Exception as error:  # noqa: BLE001 - the code of a component may raise anything
        return words_of(error)
    return ""
