"""What each instance read in the last compile: stored to find the instances that a change affects.

Questions are stored as `questions/table.py` writes them, with absolute paths.
"""

from __future__ import annotations

import glob
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.lib import LIBRARIES

from .questions.files import Expansion, PathQuestion
from .questions.table import parse
from .up_to_date.last_run import READS_FILE, set_reads_current
from .verdicts import Verdicts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.stages import Sources
    from commodore_py.run_log import Events

    from .questions.base import Question
    from .roots import Roots
    from .verdicts import Verdict

_SCHEMA = "looked/v2"


class InstanceReads(NamedTuple):
    """What one instance read: files and folders by absolute paths, and the inventory."""

    component: str
    checkout: str
    """Where its component is; empty if that is unknown."""
    inputs: list[str]
    """The inputs of its entries, as they are written."""
    questions: dict[Question, None]
    unrecorded: list[str]
    """Why it may have read anything else, too."""

    def add(self, verdict: Verdict, roots: Roots) -> None:
        """Add what one entry or filter read."""
        for question in verdict.questions:
            if isinstance(question, PathQuestion):
                question = question.absolute(roots)  # noqa: PLW2901 - the same question
            self.questions[question] = None
        if verdict.outcome == "never":
            self.unrecorded.append(f"{verdict.label.entry}: {verdict.why}")


def note(folder: Path, sources: Sources, events: Events) -> None:
    """Store what the instances of a run read."""
    from commodore_py.adapters.files import write_if_changed  # not for all

    found = {
        one.name: _about(one.name, one.component, sources) for one in sources.inventory.instances
    }
    for verdicts in events.of(Verdicts):
        for verdict in verdicts.all:
            if verdict.label.target in found:
                found[verdict.label.target].add(verdict, verdicts.roots)
    content = {"schema": _SCHEMA, "instances": {name: _stored(one) for name, one in found.items()}}
    write_if_changed(folder / READS_FILE, json.dumps(content).encode())
    set_reads_current(folder)


def read(folder: Path) -> Mapping[str, InstanceReads] | None:
    """The note of the last compile, by instance; None without a valid one."""
    try:
        content = json_text.load((folder / READS_FILE).read_bytes(), name=READS_FILE)
        if content["schema"] != _SCHEMA:
            return None
        return {name: _loaded(one) for name, one in content["instances"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def paths_outside(events: Events, root: Path) -> Iterator[str]:
    """Files and folders elsewhere that code read, by their absolute paths."""
    ours = (f"{root}/", f"{LIBRARIES.parent}/")
    for path, is_pattern in _paths_read(events):
        if not f"{path}/".startswith(ours) and not is_pattern:
            yield path


def reads_one_of(files: Collection[str], events: Events, root: Path) -> str:
    """One of these files at the top of a folder that code may have read; empty if none."""
    if not files:
        return ""
    top = str(root)
    for path, is_pattern in _paths_read(events):
        matches = is_pattern and os.path.dirname(path) == top  # noqa: PTH120 - many
        if path in files or path == top or matches:
            return path
    return ""


def _paths_read(events: Events) -> Iterator[tuple[str, bool]]:
    """Every absolute path that code read or tested, and whether it is a pattern."""
    for verdicts in events.of(Verdicts):
        # In their order, so that the same one is reported each time.
        questions = {question: None for verdict in verdicts.all for question in verdict.questions}
        for question in questions:
            if isinstance(question, PathQuestion):
                path = os.path.normpath(verdicts.roots.absolute(question.about))
                yield path, isinstance(question, Expansion) and glob.has_magic(path)


def _about(name: str, component: str, sources: Sources) -> InstanceReads:
    checkout = sources.classes.component(name)
    inputs = sorted(set(_inputs(sources.inventory.nodes[name].parameters)))
    place = str(checkout.worktree) if checkout is not None else ""
    return InstanceReads(component, place, inputs, {}, [])


def _inputs(parameters: Parameters) -> Iterator[str]:
    kapitan: Any = parameters.get("kapitan")
    entries = kapitan.get("compile") if hasattr(kapitan, "get") else None
    for entry in entries or ():
        if hasattr(entry, "get"):
            paths = entry.get("input_paths")
            yield from (str(path) for path in paths or ())


def _stored(one: InstanceReads) -> dict[str, Any]:
    return {
        "component": one.component,
        "checkout": one.checkout,
        "inputs": one.inputs,
        "questions": sorted(map(str, one.questions)),
        "unrecorded": one.unrecorded,
    }


def _loaded(stored: dict[str, Any]) -> InstanceReads:
    questions = dict.fromkeys(map(parse, stored.pop("questions")))
    return InstanceReads(**stored, questions=questions)
