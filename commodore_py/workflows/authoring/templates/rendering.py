"""Render cookiecutter templates, in a process of their own.

Cookiecutter changes the working directory, runs hooks and evaluates the expressions of templates.
There, none of this sees our tokens, and what a hook prints does not mix with our output.
"""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.child_environment import child_environment
from commodore_py.adapters.files import read_tree
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from commodore_py.model.tree import Tree


@dataclass(frozen=True, slots=True)
class Rendered:
    """The files of a rendered template, and all its variables in its order."""

    files: Tree
    variables: dict[str, object]


def render(jobs: Sequence[Mapping[str, object]], *, where: str) -> list[Rendered]:
    """Render templates, including their hooks.

    A job is the `folder` of `cookiecutter.json`, variables that are `given`, of which those that
    the template does not declare are ignored, and variables to be `added` that no template
    declares.
    """
    with tempfile.TemporaryDirectory(prefix="commodore-render-") as scratch:
        # Cookiecutter leaves scripts in the folder for temporary files.
        environment = {**child_environment(), "TMPDIR": scratch}
        command = [sys.executable, "-P", "-B", "-m", __name__]
        given = json.dumps(jobs).encode()
        try:
            run(command, cwd=Path(scratch), only_env=environment, stdin=given)
        except ProgramFailed as error:
            raise CommodoreError(
                f"cannot render the template: {error.stderr.strip()}", where=where
            ) from error
        results = json.loads((Path(scratch) / "results.json").read_bytes())
        return [
            Rendered(read_tree(Path(result["project"])), result["variables"]) for result in results
        ]


def _child(scratch: Path) -> None:
    import logging

    from cookiecutter.find import find_template
    from cookiecutter.generate import generate_context, generate_files
    from cookiecutter.prompt import prompt_for_config
    from cookiecutter.utils import create_env_with_context

    logging.disable()  # it would print tracebacks
    results = []
    for number, job in enumerate(json.loads(sys.stdin.buffer.read())):
        context = generate_context(f"{job['folder']}/cookiecutter.json", None, job["given"])
        context["cookiecutter"] = prompt_for_config(context, no_input=True)
        variables = dict(context["cookiecutter"])
        context["cookiecutter"].update(job["added"])
        environment = create_env_with_context(context)
        top = environment.from_string(find_template(job["folder"], environment).name)
        name = top.render(**context)
        # Checked first: Cookiecutter creates folders wherever the name leads.
        if name in {"", ".", ".."} or "/" in name:
            raise ValueError(f"{name!r} cannot be the name of the folder of a project")
        project = generate_files(job["folder"], context, str(scratch / f"output-{number}"))
        results.append({"project": project, "variables": variables})
    (scratch / "results.json").write_text(json.dumps(results), "utf-8")


def _reason(error: Exception) -> str:
    """The message of an error; that of a missing variable would contain all others."""
    inner = getattr(error, "error", None)
    message = f"{error.message}: {inner}" if inner and hasattr(error, "message") else str(error)
    where = getattr(error, "filename", None)
    # Cookiecutter's and Jinja's own messages are sentences; others mean little without the class.
    library = type(error).__module__.partition(".")[0]
    if not message or not (type(error) is ValueError or library in {"cookiecutter", "jinja2"}):
        message = f"{type(error).__name__}: {message}"
    return message + (f" ({where})" if where else "")


if __name__ == "__main__":
    try:
        _child(Path.cwd())
    except Exception as error:  # noqa: BLE001 - expressions and extensions raise anything
        sys.exit(_reason(error))
