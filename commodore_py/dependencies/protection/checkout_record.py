"""Record of the commits that runs checked out: they came from a remote, and are no local work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from commodore_py.adapters import json_text
from commodore_py.adapters.files import write_if_changed
from commodore_py.adapters.reading import bytes_of

from .journal import prepare

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.config import WorkPaths

_SCHEMA = "checkouts/v1"


class CheckedOut(NamedTuple):
    """The commit that a run checked out, and the repository that it came from."""

    commit: str
    short_commit: str
    url: str


class CheckoutRecord:
    """The checkouts of a working directory by their names in it; a file that may be deleted."""

    def __init__(self, paths: WorkPaths) -> None:
        self._state, self._root = paths.state, paths.root
        self._file = paths.state / "checkouts.json"
        self._known = _load(self._file)
        self._before = dict(self._known)

    def at(self, place: Path, commit: str | None) -> CheckedOut | None:
        """Files that a run checked out, if the checkout is still at that commit."""
        checked_out = self._known.get(self._name(place))
        return checked_out if checked_out is not None and checked_out.commit == commit else None

    def others_of(self, place: Path, url: str) -> bool:
        """Return whether other checkouts were made from a repository."""
        own_name = self._name(place)
        return any(
            name != own_name and checked_out.url == url for name, checked_out in self._known.items()
        )

    def note(self, place: Path, made: CheckedOut) -> None:
        """Note a checkout that is complete."""
        self._known[self._name(place)] = made

    def save(self) -> None:
        """Write what changed."""
        if self._known == self._before:
            return
        prepare(self._state)
        checkouts = {
            name: checked_out._asdict() for name, checked_out in sorted(self._known.items())
        }
        content = {"schema": _SCHEMA, "checkouts": checkouts}
        write_if_changed(self._file, json.dumps(content, indent=1).encode())
        self._before = dict(self._known)

    def _name(self, place: Path) -> str:
        inside = place.is_relative_to(self._root)
        return str(place.relative_to(self._root) if inside else place)


def _load(file: Path) -> dict[str, CheckedOut]:
    try:
        content = json_text.load(bytes_of(str(file), follow=False), name=str(file))
        if content["schema"] != _SCHEMA:
            return {}
        checkouts = {name: CheckedOut(**fields) for name, fields in content["checkouts"].items()}
        texts = (text for checked_out in checkouts.values() for text in checked_out)
        if all(isinstance(text, str) for text in texts):
            return checkouts
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass  # none yet, or of another version
    return {}
