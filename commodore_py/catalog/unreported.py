"""A push whose report was not sent: stored in the working directory until it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from commodore_py.config import WorkPaths


class Unreported(NamedTuple):
    """The report of a catalog commit, to be sent once that is pushed."""

    cluster: str
    commit: str
    report: Mapping[str, Any]


def keep_unreported(paths: WorkPaths, report: Unreported) -> None:
    """Note what is to be reported: before the push, as a run may be killed right after it."""
    write_if_changed(_file(paths), json.dumps(report._asdict(), indent=2).encode())


def unreported(paths: WorkPaths) -> Unreported | None:
    """What is still to be reported, if anything."""
    try:
        content = json_text.load(_file(paths).read_bytes(), name=str(_file(paths)))
        return Unreported(content["cluster"], content["commit"], content["report"])
    except (OSError, ValueError, TypeError, KeyError):  # or of another version of ours
        return None


def forget_unreported(paths: WorkPaths) -> None:
    """It was reported, or never pushed."""
    _file(paths).unlink(missing_ok=True)


def _file(paths: WorkPaths) -> Path:
    return paths.state / "unreported.json"
