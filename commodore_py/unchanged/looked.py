"""What each instance looked at in the last run: kept, so that it can be told whom a change reaches.

A question is one letter for its kind and what it is about; `commodore_py/results` knows them.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from commodore_py.model.fields import field_values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from commodore_py.model.inventory import Parameters
    from commodore_py.model.stages import Sources
    from commodore_py.results import Roots, Verdict

_SCHEMA = "looked/v1"
_NAME = "looked.json"
_OLDER = "looked.json.older"
_ABOUT_PATHS = "rekltx"


@dataclass(slots=True)
class Looked:
    """What one instance looked at: files and folders by absolute paths, and the inventory."""

    component: str = ""
    checkout: str = ""
    """Where its component lies; empty if that is unknown."""
    questions: list[str] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    """What its entries name as their inputs, as it is written."""
    unsealed: list[str] = field(default_factory=list)
    """Why it may have looked at anything else, too."""


def note(folder: Path, sources: Sources, heard: Iterable[object]) -> None:
    """Keep what the instances of a run looked at."""
    from commodore_py.adapters.files import write_if_changed  # noqa: PLC0415 - not for all
    from commodore_py.results import Verdicts  # noqa: PLC0415

    found: dict[str, Looked] = {}
    for instance in sources.inventory.instances:
        checkout = sources.classes.component(instance.name)
        found[instance.name] = Looked(
            instance.component,
            str(checkout.worktree) if checkout is not None else "",
            inputs=sorted(set(_inputs(sources.inventory.nodes[instance.name].parameters))),
        )
    told = [one for one in heard if isinstance(one, Verdicts)]
    for verdicts in told:
        for verdict in verdicts.all:
            if verdict.target in found:
                _add(found[verdict.target], verdict, verdicts.roots)
    for one in found.values():
        one.questions.sort()
    content = {
        "schema": _SCHEMA,
        "instances": {name: field_values(one) for name, one in found.items()},
    }
    write_if_changed(folder / _NAME, json.dumps(content).encode())
    still_holds(folder)


def still_holds(folder: Path) -> None:
    """Another run of what was noted would look at the same."""
    with suppress(FileNotFoundError):
        os.unlink(folder / _OLDER)  # noqa: PTH108 - when there is nothing to do, this counts


def outdate(folder: Path) -> None:
    """The last run may have looked at something else, and nobody watched it."""
    if (folder / _NAME).is_file():
        (folder / _OLDER).touch()


def is_outdated(folder: Path) -> bool:
    """Whether the note is about another run than the last one."""
    return (folder / _OLDER).is_file()


def read(folder: Path) -> Mapping[str, Looked] | None:
    """What the last run noted, by instance; None if there is nothing to go by."""
    try:
        content = json.loads((folder / _NAME).read_bytes())
        if content["schema"] != _SCHEMA:
            return None
        return {name: Looked(**one) for name, one in content["instances"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def paths_outside(heard: Iterable[object], root: Path) -> Iterator[str]:
    """Files and folders that code looked at elsewhere, by their absolute paths."""
    from commodore_py.lib import LIBRARIES  # noqa: PLC0415 - not for who reads it

    ours = (f"{root}/", f"{LIBRARIES.parent}/")
    for path in _paths_asked(heard):
        if not f"{path}/".startswith(ours) and not _is_pattern(path):
            yield path


def looked_for(heard: Iterable[object], root: Path, files: Collection[str]) -> str:
    """One of these files at the top of a folder that code may have looked at; empty if none."""
    if not files:
        return ""
    top = str(root)
    for path in _paths_asked(heard):
        wild = _is_pattern(path) and os.path.dirname(path) == top  # noqa: PTH120 - many
        if path in files or path == top or wild:
            return path
    return ""


def _paths_asked(heard: Iterable[object]) -> Iterator[str]:
    """Every path that code asked about, absolute, and as a pattern if it asked with one."""
    from commodore_py.results import Verdicts  # noqa: PLC0415 - not for who reads it

    for verdicts in (one for one in heard if isinstance(one, Verdicts)):
        # In their order: what is told of them is the same each time.
        asked = {question: None for verdict in verdicts.all for question in verdict.questions}
        for question in asked:
            if question[0] in _ABOUT_PATHS:
                yield os.path.normpath(verdicts.roots.absolute(question[1:]))


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[")


def _add(looked: Looked, verdict: Verdict, roots: Roots) -> None:
    known = set(looked.questions)
    for question in verdict.questions:
        kind, about = question[0], question[1:]
        whole = f"{kind}{roots.absolute(about)}" if kind in _ABOUT_PATHS else question
        if whole not in known:
            known.add(whole)
            looked.questions.append(whole)
    if verdict.outcome == "never":
        looked.unsealed.append(f"{verdict.entry}: {verdict.why}")


def _inputs(parameters: Parameters) -> Iterator[str]:
    kapitan: Any = parameters.get("kapitan")
    entries = kapitan.get("compile") if hasattr(kapitan, "get") else None
    for entry in entries or ():
        if hasattr(entry, "get"):
            paths = entry.get("input_paths")
            yield from (str(path) for path in paths or ())
