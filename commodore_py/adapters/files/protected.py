"""Folders that this process must not change: each attempt is stopped before it has an effect.

Python announces what is about to be done to files as audit events; see `sys.addaudithook`.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Arguments that are paths, for events of what changes files. That of `dir_fd` is not among them:
# only `shutil.rmtree` uses it, which has an event of its own.
_CHANGES = {
    "os.chmod": (0,),
    "os.chown": (0,),
    "os.link": (1,),
    "os.mkdir": (0,),
    "os.remove": (0,),
    "os.removexattr": (0,),
    "os.rename": (0, 1),
    "os.rmdir": (0,),
    "os.setxattr": (0,),
    "os.symlink": (1,),
    "os.truncate": (0,),
    "os.utime": (0,),
    "shutil.rmtree": (0,),
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_REMOVALS = ("os.remove", "os.rmdir")
# Git commands that write nothing, but for `status` and `diff`, which may refresh the index.
_READING = frozenset(
    {
        *("cat-file", "check-attr", "check-ignore", "diff-files", "diff-index", "diff-tree"),
        *("for-each-ref", "ls-files", "ls-tree", "merge-base", "rev-list", "rev-parse"),
        *("show-ref", "var"),
    }
)
_REFRESHING = ("diff", "status")
_WITH_VALUE = ("-c", "-C")
_TOOLS = ("helm", "kustomize")
_READS = ("os.listdir", "os.scandir")

_protected: list[str] = []
_replaced: list[str] = []
_state = {"installed": False}


class WouldWrite(BaseException):
    """Something below a protected folder would change, or what a copy replaces would be read.

    No handler of errors must catch this.
    """


@contextmanager
def protected(folder: Path) -> Iterator[None]:
    """Let nothing below a folder be changed meanwhile; an attempt raises `WouldWrite`."""
    if not _state["installed"]:
        _state["installed"] = True
        sys.addaudithook(_judge)  # for good: a hook cannot be removed
    added = {f"{folder.absolute()}/", f"{folder.resolve()}/"}
    _protected.extend(added)
    try:
        yield
    finally:
        for one in added:
            _protected.remove(one)
        if not _protected:
            _replaced.clear()


def replaced(folder: Path) -> None:
    """From now on, a copy counts and not this folder: what reads it here raises `WouldWrite`."""
    if _protected:
        _replaced.extend({f"{folder.absolute()}/", f"{folder.resolve()}/"})


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    if not _protected:
        return
    if event == "open":
        path, _, flags = arguments
        if flags & _WRITES:
            _refuse(path)
        elif _replaced:
            _refuse_old(path)
    elif event in _READS:
        if _replaced:
            _refuse_old(arguments[0])
    elif event == "subprocess.Popen":
        _judge_program(*arguments[1:])
    elif event in _CHANGES:
        for index in _CHANGES[event]:
            _judge_change(event, arguments[index])


def _judge_change(event: str, path: object) -> None:
    if event == "os.mkdir" and _is(path, os.path.isdir):
        return  # it fails, as it is there already
    if event in _REMOVALS and not _is(path, os.path.lexists):
        return
    _refuse(path)


def _is(path: object, what: Any) -> bool:  # noqa: ANN401 - functions of os.path
    return isinstance(path, str | bytes | os.PathLike) and bool(what(path))


def _refuse(path: object) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return  # an open file, which was judged when it was opened
    full = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links are not followed
    if full.startswith(tuple(_protected)):
        raise WouldWrite(full)


def _refuse_old(path: object) -> None:
    if not isinstance(path, str | bytes | os.PathLike):
        return
    name = os.fsdecode(path)
    full = name if name[:1] == "/" and "/../" not in name else os.path.abspath(name)  # noqa: PTH100
    # Copies of repositories share the objects of the originals.
    if f"{full}/".startswith(tuple(_replaced)) and "/.git/" not in full:
        raise WouldWrite(full)


def _judge_program(command: Any, folder: Any, environment: Any) -> None:  # noqa: ANN401 - as it was called
    words = [command] if isinstance(command, str) else [os.fsdecode(word) for word in command]
    program = words[0].rpartition("/")[2]
    if program in _TOOLS or words[0] == sys.executable:
        return
    if program == "git" and (_is_elsewhere(folder, words) or _only_reads(words[1:], environment)):
        return
    raise WouldWrite(" ".join(words))


def _is_elsewhere(folder: Any, words: list[str]) -> bool:  # noqa: ANN401 - as it was called
    """Whether Git works in a folder that is not protected, and is not given one that is."""
    if folder is None:
        return False
    real = f"{os.path.realpath(os.fsdecode(folder))}/"
    return not any(one in text for text in (real, *words) for one in _protected)


def _only_reads(words: list[str], environment: Any) -> bool:  # noqa: ANN401 - as it was called
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    verb, more = words[at] if at < len(words) else "", words[at + 1 :]
    if verb in _REFRESHING:
        return bool((environment or {}).get("GIT_OPTIONAL_LOCKS") == "0")
    if verb == "config":
        return any(word.startswith(("--get", "--list")) for word in more)
    return verb in _READING or not verb
