"""Input types that Kapitan itself renders, in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from commodore_py.compiler.fields import (
    EVERY_INPUT,
    NO_TEXT,
    NOTHING,
    OFF,
    ON,
    Field,
    mapping,
    named_values,
    or_null,
    output_type,
    text,
)

from .base import CachePolicy, check_for_programs, record_nothing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commodore_py.cache.recorder import Recorder
    from commodore_py.compiler.entry import InputJob
    from commodore_py.compiler.output import Output


_NEVER = CachePolicy(never="Kapitan's own input types may read anything")


class KapitanInput(NamedTuple):
    """One of them."""

    FIELDS: Mapping[str, Field]
    CACHE: CachePolicy = _NEVER

    def render(self, job: InputJob) -> Output:
        """Hand the entry over to Kapitan."""
        for pattern in job.entry.input_paths:
            found = job.lookup.every(pattern)
            if job.entry.input_type == "kustomize":
                from commodore_py.adapters.kustomize import local_folders

                found = [folder for one in found for folder in local_folders(one)]
            check_for_programs(job, found)
        return job.kapitan.render(job)

    def record(self, job: InputJob, recorder: Recorder) -> None:
        """Not called, as nothing is cached."""
        record_nothing(job, recorder)


JINJA2 = KapitanInput(
    {
        **EVERY_INPUT,
        "output_type": Field(or_null(output_type), default="plain"),
        "ignore_missing": ON,
        "suffix_remove": OFF,
        "suffix_stripped": Field(or_null(text), default=".j2"),
    }
)
KADET = KapitanInput({**EVERY_INPUT, "input_value": Field(or_null(mapping)), "prune": OFF})
KUSTOMIZE = KapitanInput(
    {
        **EVERY_INPUT,
        "namespace": NO_TEXT,
        "prune": OFF,
        "patches": Field(or_null(named_values), default=NOTHING),
        "patches_strategic": Field(or_null(named_values), default=NOTHING),
        "patches_json": Field(or_null(named_values), default=NOTHING),
    }
)
CUELANG = KapitanInput(
    {
        **EVERY_INPUT,
        "input": Field(or_null(named_values)),
        "input_fill_path": NO_TEXT,
        "output_yield_path": NO_TEXT,
        "output_filename": Field(or_null(text), default="output.yaml"),
    }
)
