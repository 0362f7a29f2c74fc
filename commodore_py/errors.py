"""The one family of failures that we understand."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class CommodoreError(Exception):
    """A failure we understand: shown as a message, never as a traceback."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle by their positional arguments only; ours have more to say.
        return _revive, (type(self), str(self), self.where, self.hint, notes_of(self))


class UsageError(CommodoreError):
    """The command was called in a way that makes no sense."""

    exit_code = 2


class SeveralErrors(CommodoreError):
    """Several failures that the user can mend at once."""

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

    def __reduce__(self) -> tuple[object, ...]:
        return _revive_several, (str(self), self.where, self.hint, notes_of(self), self.errors)


class NotBuiltYet(CommodoreError):
    """A marked stub: `make spec-report` counts the calls of `named`."""

    @classmethod
    def named(cls, what: str, *, instead: str = "") -> NotBuiltYet:
        """Say what is missing, and what to do until it is there."""
        return cls(f"{what}: not built yet", hint=instead)


def raise_collected(errors: Iterable[CommodoreError], summary: str) -> None:
    """Raise nothing, the one error as it is, or all of them together."""
    collected = tuple(errors)
    if len(collected) == 1:
        raise collected[0]
    if collected:
        raise SeveralErrors(f"{summary}: {len(collected)} problems", errors=collected)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Add the note "while <what>" to an error that passes through."""
    try:
        yield
    except CommodoreError as error:
        error.add_note(f"while {what}")
        raise


def notes_of(error: BaseException) -> tuple[str, ...]:
    """What was added to an error on its way up."""
    return tuple(getattr(error, "__notes__", ()))


def _revive(
    kind: type[CommodoreError], message: str, where: str, hint: str, notes: tuple[str, ...]
) -> CommodoreError:
    error = kind(message, where=where, hint=hint)
    for note in notes:
        error.add_note(note)
    return error


def _revive_several(
    message: str, where: str, hint: str, notes: tuple[str, ...], errors: tuple[CommodoreError, ...]
) -> CommodoreError:
    error = SeveralErrors(message, where=where, hint=hint, errors=errors)
    for note in notes:
        error.add_note(note)
    return error
