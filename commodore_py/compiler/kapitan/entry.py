"""The other side of `inputs`: one entry by Kapitan's input class, in a process of its own."""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py import run_log
from commodore_py.adapters.files.reach import OutsideRead

from .parts import arguments_of, confine_templates, judge_templates, references_of, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .inputs import Request


class _Inventory(dict[str, Any]):
    """Targets in the form of Kapitan's classes; topics are not shared between targets."""

    topics: Mapping[str, Any] = {}

    def consumed_topics(self, target: str) -> set[str]:  # noqa: ARG002 - Kapitan's signature
        return set()


class Outcome(NamedTuple):
    """How an entry was compiled."""

    problem: str
    """What went wrong; empty if nothing did."""
    outside: tuple[OutsideRead, ...]


def run(request: Request) -> Outcome:
    """Compile an entry."""
    from kapitan import cached
    from kapitan.inputs import get_compiler
    from kapitan.inventory.model.input_types import CompileInputTypeConfig
    from pydantic import TypeAdapter

    from .confined import confined
    from .inputs import PROGRAMS

    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    confine_templates()
    judge_templates(request.job.reach, request.scratch)
    arguments = arguments_of(request.job)
    cached.args = arguments
    cached.inv = cached.global_inv = _Inventory(request.views)
    cached.inventory_global_kadet = {}
    model = TypeAdapter(CompileInputTypeConfig).validate_python(dict(request.fields))
    compiler = get_compiler(model.input_type)(
        str(request.scratch / "compiled"),
        list(request.search_paths),
        references_of(request.job, request.scratch),
        request.target,
        arguments,
    )
    problem = ""
    # Kadet's output is the work of code, which may do anything.
    place = confined(request) if model.input_type in PROGRAMS else nullcontext()
    with run_log.collecting() as events:
        try:
            with place:
                compiler.compile_obj(model)
        except Exception as error:  # noqa: BLE001 - any input type may raise anything
            problem = words_of(error)
    return Outcome(problem, events.of(OutsideRead))
