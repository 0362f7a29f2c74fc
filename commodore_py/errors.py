"""The one family of failures that we understand."""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator

    PlaceOf: TypeAlias = Callable[[str, tuple[Hashable, ...]], str]


class Spot(Protocol):
    """The subject of an error; its file and line take time to find."""

    def seen_from(self, place_of: PlaceOf) -> str:
        """Add file and line, as far as they are known."""
        ...


class CommodoreError(Exception):
    """A failure we understand: shown as a message, never as a traceback."""

    exit_code: int = 1
    spots: tuple[Spot, ...] = ()
    """Lines of `where` that `locate` completes."""
    subject: object = ""
    """The name in question, to be compared with that of problems."""
    problem_code: str = ""
    """The code that its class has, or that of the problem it was made from."""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle by their positional arguments only; ours have more to say.
        return _revive, (type(self), str(self)), self.__dict__

    @property
    def parts(self) -> tuple[CommodoreError, ...]:
        """The errors that it consists of: itself, unless there are several."""
        return (self,)

    def locate(self, place_of: PlaceOf) -> None:
        """Add file and line to what it is about."""
        located = {str(spot): spot.seen_from(place_of) for spot in self.spots}
        self.where = "\n".join(located.get(line, line) for line in self.where.splitlines())

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Change all of its texts, such as paths that the user knows under another name."""
        self.args = (change(str(self)),)
        self.where, self.hint = change(self.where), change(self.hint)
        if notes := notes_of(self):
            self.__notes__ = [change(note) for note in notes]


class UsageError(CommodoreError):
    """The command was called in an invalid way."""

    exit_code = 2


class SeveralErrors(CommodoreError):
    """Several failures that the user can fix at once; the highest of their exit codes counts."""

    def __init__(
        self,
        message: str,
        *,
        where: str = "",
        hint: str = "",
        errors: Iterable[CommodoreError] = (),
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.errors = tuple(errors)
        self.exit_code = max((error.exit_code for error in self.errors), default=1)

    @property
    def parts(self) -> tuple[CommodoreError, ...]:
        """All of them."""
        return self.errors

    def locate(self, place_of: PlaceOf) -> None:
        """Add file and line to each of them."""
        for error in self.errors:
            error.locate(place_of)

    def rewrite(self, change: Callable[[str], str]) -> None:
        """Change the texts of each of them, too."""
        super().rewrite(change)
        for error in self.errors:
            error.rewrite(change)


def raise_collected(errors: Iterable[CommodoreError], summary: str) -> None:
    """Raise nothing, the one error as it is, or all of them together."""
    collected = tuple(errors)
    if len(collected) == 1:
        raise collected[0]
    if collected:
        raise SeveralErrors(f"{summary}: {len(collected)} problems", errors=collected)


def of_system(error: OSError) -> CommodoreError:
    """Describe what the system refused to do with a file."""
    names = dict.fromkeys(filter(None, (error.filename, error.filename2)))
    where = "\n".join(os.fsdecode(name) if isinstance(name, bytes) else str(name) for name in names)
    return CommodoreError(
        f"the system refuses a file operation: {error.strerror}",
        where=where,
        hint="choose a path on a file system that is not read-only"
        if error.errno == errno.EROFS
        else "check that the path exists, and its owner and permissions",
    )


_NOT_ABOUT_PATHS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


@contextmanager
def paths_explained() -> Iterator[None]:
    """Content that names a path which the system refuses causes an error, not a bug."""
    try:
        yield
    except OSError as error:
        if error.errno in _NOT_ABOUT_PATHS or error.filename is None:
            raise
        raise of_system(error) from error


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Add the note "while <what>" to an error that passes through."""
    try:
        yield
    except CommodoreError as error:
        error.add_note(f"while {what}")
        raise


@contextmanager
def located(place_of: PlaceOf) -> Iterator[None]:
    """Add file and line to what an error that passes through is about."""
    try:
        yield
    except CommodoreError as error:
        error.locate(place_of)
        raise


def notes_of(error: BaseException) -> tuple[str, ...]:
    """Notes that were added to an error on its way up."""
    return tuple(getattr(error, "__notes__", ()))


def _revive(kind: type[CommodoreError], message: str) -> CommodoreError:
    # Pickle adds the attributes, notes included; no constructor has to be called again.
    error: CommodoreError = kind.__new__(kind, message)
    return error
