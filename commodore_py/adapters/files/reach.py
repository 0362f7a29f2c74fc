"""Which files the content of others may read: judged where they really are, behind all links."""

from __future__ import annotations

import errno
import os
import pwd
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commodore_py import run_log
from commodore_py.adapters.reading import NotReadable, bytes_and_mode, check_kind
from commodore_py.model.git_names import has_git_name, is_git_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

# Why nothing is read there; of two places, the inner one counts.
_SYSTEM = {place: f"nothing in {place} is read" for place in ("/proc", "/sys", "/dev")}
_SYSTEM["/dev/shm"] = ""  # noqa: S108 - where files are as anywhere else
_SYSTEM_FOLDERS = tuple(_SYSTEM)
_SECRETS = ("/run/secrets", "/var/run/secrets", "/etc/shadow", "/etc/gshadow", "/etc/sudoers")
# Where clients look for credentials, if not in hidden files of the home directory.
_NAMED_BY = (
    "AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AZURE_CONFIG_DIR",
    "CLOUDSDK_CONFIG",
    "DOCKER_CONFIG",
    "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HELM_CONFIG_HOME",
    "HELM_REGISTRY_CONFIG",
    "KUBECONFIG",
    "NETRC",
    "REGISTRY_AUTH_FILE",
    "XDG_RUNTIME_DIR",
)
# Below the folders that these name, in folders of ours.
_OURS = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
# In the working directory: tokens, and what only we read.
_PRIVATE = (".env", ".commodore", ".git", "dependencies/.repos")
# Files that only a working directory has, and only one that a cluster was compiled in.
_CLUSTER = ("inventory/classes/params/cluster.yml", "inventory/targets/cluster.yml")

_NOT_NAMES = ("", ".", "..")
_UNREAD = "where not everything may be read"
_GIT = "the settings of a Git repository may hold credentials"
_HIDDEN = "hidden files of a home directory may hold credentials"


@dataclass(frozen=True, slots=True)
class OutsideRead:
    """An event: a file or folder outside of the allowed folders was read."""

    path: str
    """As it was named."""
    real: str


class NeverRead(NotReadable):
    """A file that no content of others may read, whatever the options."""


class Reach:
    """The folders whose files may be read; a more precise rule wins over one for a folder above.

    What is read is the real path that was judged: a link that changes in between is not followed.
    """

    def __init__(
        self,
        folders: Iterable[str | PathLike[str]],
        *,
        work: Iterable[str | PathLike[str]] = (),
        private: Iterable[str] = (),
    ) -> None:
        """Allow these folders; of working directories, all but what is private in them.

        Other `private` places are never read, either.
        """
        self._allowed = frozenset(map(os.path.realpath, folders))
        self._homes = _homes()
        self._never = dict(_never(work, private, self._homes))
        # Some file systems take other spellings for the same name.
        self._folded = {
            place.casefold(): why for place, why in self._never.items() if why and "/." in place
        }
        self._real_folders: dict[str, str] = {}
        self._reported: set[str] = set()

    @classmethod
    def anywhere(cls) -> Reach:
        """Everything but what is never read."""
        return cls(("/",))

    def content(self, path: str) -> bytes | None:
        """The content of a file, None if there is none; a folder is an error."""
        file = self.content_with_mode(path)
        return file and file[0]

    def content_with_mode(self, path: str) -> tuple[bytes, int] | None:
        """Content and mode of a file, None if there is none; a folder is an error."""
        try:
            return self.read_with_mode(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except IsADirectoryError as error:
            raise NotReadable(f"{path} is a folder, not a file") from error
        except OSError as error:
            raise NotReadable(f"cannot read {path}: {error.strerror}") from error

    def read(self, path: str) -> bytes:
        """The content of a file; an `OSError` or `NotReadable` if there is none to read."""
        return self.read_with_mode(path)[0]

    def read_with_mode(self, path: str) -> tuple[bytes, int]:
        """Read a file, with its mode."""
        return bytes_and_mode(self.real(path), follow=False)

    def real(self, path: str) -> str:
        """Where a file really is; reported if that is outside, refused where nothing is read."""
        real, is_allowed = self._judged(path)
        if not is_allowed and path not in self._reported and os.path.lexists(real):
            self._reported.add(path)
            run_log.report(OutsideRead(os.path.abspath(path), real))  # noqa: PTH100 - a text
        return real

    def holds(self, path: str) -> bool:
        """Return whether a path is within reach, without a report; refuse where nothing is read."""
        real, is_allowed = self._judged(path)
        if not is_allowed:
            self._check_below(path, real)
        return is_allowed

    def real_folder(self, path: str) -> str:
        """Check a folder of which everything is read."""
        real = self.real(path)
        self._check_below(path, real)
        return real

    def _check_below(self, path: str, real: str) -> None:
        above = "" if real == "/" else real
        for place in (*self._never, *(f"{home}/." for home in self._homes)):
            if place.startswith(f"{above}/") and os.path.lexists(place):
                raise _refused(path, real, f"it holds {place.removesuffix('.')}, {_UNREAD}")

    def check(self, path: str) -> None:
        """Judge a file, or a folder and everything below it, that a program reads."""
        waiting, seen = [self.real(path)], set[str]()
        while waiting:
            place = waiting.pop()
            if not os.path.isdir(place):  # noqa: PTH112 - a text
                check_kind(place)
            elif place not in seen:
                seen.add(place)
                # Charts that were cloned have such a folder; that of a checkout is the user's.
                checkout = self._innermost_allowed(place)
                with os.scandir(self.real_folder(place)) as entries:
                    waiting += [
                        self.real(entry.path) if entry.is_symlink() else entry.path
                        for entry in entries
                        if entry.is_symlink()
                        or not (entry.is_file() or (is_git_name(entry.name) and place != checkout))
                    ]

    def search(self, folder: str) -> None:
        """Judge a folder that is searched for files, which are judged themselves when read."""
        if not self._innermost_allowed(os.path.realpath(folder)):
            self.real_folder(folder)

    def _judged(self, path: str) -> tuple[str, bool]:
        """Where a path leads to, and whether that is in an allowed folder."""
        if "\0" in path:
            raise OSError(errno.EINVAL, "its name holds a null character", path)
        # By its name, too: below /proc there are links to everything.
        why = self._refusal_by_name(os.path.abspath(path))  # noqa: PTH100 - a text
        if why:
            raise _refused(path, path, why)
        real = self._real_of(path)
        allowed, why = self._rule_for(real)
        if why:
            raise _refused(path, real, why)
        if not allowed and path not in self._reported and os.path.lexists(real):
            for folder in (real, *_upwards(real)):
                if any(os.path.lexists(f"{folder}/{name}") for name in _CLUSTER):
                    why = f"{folder} is the working directory of another cluster"
                    raise _refused(path, real, why)
        return real, bool(allowed)

    def _real_of(self, path: str) -> str:
        """The real path of a file; those of folders are resolved once."""
        folder, _, name = path.rpartition("/")
        if path[:1] != "/" or name in _NOT_NAMES:
            # The current directory may be another one next time.
            return os.path.realpath(path)
        real_folder = self._real_folders.get(folder)
        if real_folder is None:
            real_folder = self._real_folders[folder] = os.path.realpath(folder or "/").rstrip("/")
        real = f"{real_folder}/{name}"
        return os.path.realpath(real) if os.path.islink(real) else real  # noqa: PTH114 - a text

    def _rule_for(self, real: str) -> tuple[str, str]:
        """The innermost allowed folder, and why a real path is never read; each may be empty."""
        why: str | None = None
        for place in (real, *_upwards(real)):
            if place in self._allowed:
                return place, why or _refusal_of_git(real[len(place) :])
            if why is None:
                why = self._reason(place)
        return "", why or _refusal_of_git(real)

    def _reason(self, place: str) -> str | None:
        """Why a place is never read; empty if it may be, unlike those above; None for no rule."""
        why = self._never.get(place)
        if why is None:
            why = self._folded.get(place.casefold())
        if why is None:
            above, _, name = place.rpartition("/")
            why = _HIDDEN if name.startswith(".") and (above or "/") in self._homes else None
        return why

    def _refusal_by_name(self, path: str) -> str:
        """Why a path is never read, wherever its links lead; empty if it may be."""
        if not path.startswith(_SYSTEM_FOLDERS) and not has_git_name(path):
            return ""
        allowed = self._innermost_allowed(path)
        if not allowed:
            system = next((place for place in (path, *_upwards(path)) if place in _SYSTEM), "")
            if _SYSTEM.get(system):
                return _SYSTEM[system]
        return _refusal_of_git(path[len(allowed) :])

    def _innermost_allowed(self, real: str) -> str:
        """Itself or the closest folder above it that may be read; empty if there is none."""
        return next((place for place in (real, *_upwards(real)) if place in self._allowed), "")


def _refusal_of_git(below: str) -> str:
    return _GIT if has_git_name(below) else ""


def _never(
    work: Iterable[str | PathLike[str]], private: Iterable[str], homes: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Places that are never read, and why; one without a reason may be read, unlike those above."""
    yield from _SYSTEM.items()
    for place in (*_SECRETS, *filter(None, map(os.environ.get, _NAMED_BY))):
        for path in place.split(os.pathsep):
            if path.startswith("/"):
                yield os.path.realpath(path), f"{path} may hold credentials"
    for name in _OURS:
        base = os.environ.get(name, "")
        if base.startswith("/"):
            yield os.path.realpath(f"{base}/commodore"), "tokens and caches of ours are in it"
    settings = os.path.realpath(os.environ.get("XDG_CONFIG_HOME") or "/")
    if not any(f"{home}/".startswith(f"{settings.rstrip('/')}/") for home in homes):
        yield settings, f"settings of programs in {settings} may hold credentials"
    ours = (f"{os.path.realpath(folder)}/{name}" for folder in work for name in _PRIVATE)
    for place in (*ours, *private):
        for path in (os.path.abspath(place), os.path.realpath(place)):  # noqa: PTH100 - a text
            yield path, "it is private to this program and its user"


def _homes() -> tuple[str, ...]:
    """The home directory of the user, by the environment and by the system."""
    homes = [os.path.expanduser("~")]  # noqa: PTH111 - a text
    with suppress(KeyError):  # no such user: usual in containers
        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    return tuple(dict.fromkeys(os.path.realpath(home) for home in homes if home.startswith("/")))


def _refused(path: str, real: str, why: str) -> NeverRead:
    leads = "" if real == path else f"it leads to {real}, and "
    return NeverRead(
        f"cannot read {path}: {leads}{why}",
        hint="content may read files below the search paths and of the component's checkout",
    )


def _upwards(path: str) -> Iterator[str]:
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path
