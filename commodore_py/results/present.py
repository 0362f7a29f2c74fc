"""What questions of earlier runs would be answered now."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from commodore_py.adapters.files.overlay import NotReadable

from .marks import UNKNOWN, UNREADABLE
from .watched import ANSWERS, EXPANDED, QUICK

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commodore_py.adapters.files.overlay import Overlay

    from .roots import Roots


class Present:
    """The files as one piece of work would see them, and whatever else it can ask about.

    `on_disk` is shared by all work of a run: what lies on disk is looked at once.
    """

    def __init__(
        self,
        files: Overlay,
        roots: Roots,
        on_disk: dict[str, bytes],
        others: Mapping[str, Callable[[str], bytes]],
    ) -> None:
        self._files = files
        self._roots = roots
        self._others = others
        self._on_disk = on_disk
        # Nothing of a run's own lies on disk while anybody looks.
        self._disk_only = not files.written and not files.made

    def answer(self, question: str) -> bytes:
        """The mark of the answer."""
        if self._disk_only:
            known = self._on_disk.get(question)
            if known is not None:
                return known
        kind, about = question[0], question[1:]
        other = self._others.get(kind)
        if other is not None:
            return other(about)
        if not self._roots.knows(about):
            return UNKNOWN
        text = self._roots.absolute(about)
        look = QUICK.get(kind)
        if look is not None and self._disk_only and not self._files.hides(text):
            answer = self._on_disk[question] = look(text, self._roots)
            return answer
        path = Path(text)
        try:
            answer = ANSWERS[kind](self._files, path, self._roots)
        except (NotReadable, OSError):
            answer = UNREADABLE
        if self._disk_only and not self._is_own(kind, path):
            self._on_disk[question] = answer
        return answer

    def _is_own(self, kind: str, path: Path) -> bool:
        return self._files.hides(path) or (kind == EXPANDED and glob.has_magic(str(path)))
