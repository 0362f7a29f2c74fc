"""Kapitan's own parts, set up for our process of it."""

from __future__ import annotations

import re
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.compiler.job import Job


_REFERENCE = re.compile(r"\?\{[^}]+\}")


class CompileError(CommodoreError):
    """An instance could not be compiled."""


def arguments_of(job: Job) -> Namespace:
    """Kapitan's command line, as Commodore sets it."""
    return Namespace(
        inventory_path=str(job.root / "inventory"),
        inventory_backend="reclass-rs",
        output_path=str(job.output),
        indent=2,
        multiline_string_style="literal",
        yaml_multiline_string_style="literal",
        dump_null_as_empty=False,
        yaml_dump_null_as_empty=False,
        reveal=job.reveal,
        prune=False,
        cache=False,
        verbose=False,
        use_go_jsonnet=True,
        cue_path="cue",
        kustomize_path="kustomize",
        helm_path="helm",
        jinja2_filters="lib/jinja2_filters.py",
        compose_target_name=False,
    )


def confine_templates() -> None:
    """Have Kapitan render templates in the same sandbox as we do."""
    import jinja2

    from commodore_py.adapters.jinja import Confined

    jinja2.Environment = Confined  # type: ignore[misc]
    jinja2.Template.environment_class = Confined


def references_of(job: Job, scratch: Path) -> Any:  # noqa: ANN401 - Kapitan's own class
    """Kapitan's door to the reference files, or to their bare paths."""
    from kapitan.refs.base import PlainRef, PlainRefBackend, RefController

    class BarePaths(PlainRefBackend):  # type: ignore[misc]  # Kapitan has no types
        """Reveals a reference as its own path, whatever is stored there."""

        def __init__(self) -> None:
            super().__init__("")
            self.type_name = "vaultkv"

        def __getitem__(self, ref_path: str) -> object:
            return PlainRef(ref_path)

    references = RefController(str(scratch / "refs"), embed_refs=False)
    if job.reveal:
        references.register_backend(BarePaths())
    return references


def about_reference(error: CommodoreError) -> CommodoreError:
    """The error with the reference that Kapitan names in its message, if it does."""
    match = _REFERENCE.search(str(error))
    error.subject = match[0] if match else ""
    return error


def words_of(error: BaseException) -> str:
    """The message of an error of Kapitan, as readable as possible."""
    # gojsonnet 0.22 does not end the text of a failed import: Python cannot decode what follows.
    cause: BaseException | None = error
    last = error
    while cause is not None:
        if isinstance(cause, UnicodeDecodeError):
            return cause.object.decode(errors="replace")
        last, cause = cause, cause.__cause__
    words = [str(error), "" if str(last) else type(last).__name__]
    return " ".join(filter(None, words))
