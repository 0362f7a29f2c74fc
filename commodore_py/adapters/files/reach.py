"""Which files the content of others may read: judged where they really are, behind all links."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from commodore_py import run_log
from commodore_py.adapters.reading import NotReadable, bytes_and_mode, check_kind
from commodore_py.model.git_names import has_git_name, is_git_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from os import PathLike

# Why nothing is read there; of two places, the inner one counts.
_SYSTEM = {place: f"nothing in {place} is read" for place in ("/proc", "/sys", "/dev")}
_SYSTEM["/dev/shm"] = ""  # noqa: S108 - where files are as anywhere else
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

_JUDGED = ("", ".")
_NOT_NAMES = ("", ".", "..")
_UNREAD = "where not everything may be read"
_GIT = "the settings of a Git repository may hold credentials"


class OutsideRead(NamedTuple):
    """An event: a file or folder outside of the allowed folders was read."""

    path: str
    """As it was named."""
    real: str


class NeverRead(NotReadable):
    """A file that no content of others may read, whatever the options."""


class _Folder(NamedTuple):
    """A folder that may be read without a look at every file."""

    real: str
    refused: frozenset[str]
    """Names in it that are judged one by one; hidden ones are in any case."""
    ruled: frozenset[str]
    """Names in it, their case ignored as well, that rules are about, or something below them."""

    def has_rules(self, name: str) -> bool:
        """Whether a folder in it is not like those below it that no rule is about."""
        special = name[:1] in _JUDGED or has_git_name(name)
        return special or name in self.ruled or name.casefold() in self.ruled


class Reach:
    """The folders whose files may be read; a more precise rule wins over one for a folder above.

    What is read is the real path that was judged: a link that changes meanwhile is not followed.
    """

    def __init__(
        self,
        folders: Iterable[str | PathLike[str]],
        *,
        work: Iterable[str | PathLike[str]] = (),
        private: Iterable[str] = (),
        of_git: bool = False,
    ) -> None:
        """Allow these folders; of working directories, all but what is private in them.

        Other `private` places are never read, either. What `of_git` is for is read by Git alone,
        which needs its own files.
        """
        self._of_git = of_git
        self._real: dict[str, str] = {}
        self._allowed = frozenset(self._real_of(os.fspath(folder)) or "/" for folder in folders)
        self._homes = _homes()
        self._never = dict(_never(work, private, self._homes))
        # Some file systems take other spellings for the same name.
        self._folded = {
            place.casefold(): why for place, why in self._never.items() if why and "/." in place
        }
        self._folders: dict[str, _Folder | None] = {}
        self._links: dict[str, str] = {}
        """Where files behind links are that were read before."""
        self._reported: set[str] = set()

    @classmethod
    def anywhere(cls) -> Reach:
        """All files but those that are never read."""
        return cls(("/",))

    def read(self, path: str) -> bytes:
        """The content of a file; an `OSError` or `NotReadable` if there is none to read."""
        return self.read_with_mode(path)[0]

    def read_with_mode(self, path: str) -> tuple[bytes, int]:
        """The same, with its mode."""
        real = self._links.get(path)
        if real is not None:
            return bytes_and_mode(real, follow=False)
        name = path.rpartition("/")[2]
        folder = self._folder(_above(path))
        # Links are judged one by one, and so are hidden files.
        if folder is not None and name[:1] not in _JUDGED and name not in folder.refused:
            try:
                return bytes_and_mode(f"{folder.real}/{name}", follow=False)
            except OSError as error:
                if error.errno != errno.ELOOP:
                    raise
        real = self.real(path)
        found = bytes_and_mode(real, follow=False)
        self._links[path] = real
        return found

    def real(self, path: str) -> str:
        """Where a file really is; reported if that is outside, refused where nothing is read."""
        real = self._judged_place(path)
        if path not in self._reported and not self._is_allowed(real) and os.path.lexists(real):
            self._reported.add(path)
            run_log.report(OutsideRead(os.path.abspath(path), real))  # noqa: PTH100 - a text
        return real

    def holds(self, path: str) -> bool:
        """Whether a path is within reach, without a report; refused where nothing is read."""
        real = self._judged_place(path)
        if self._is_allowed(real):
            return True
        self._check_below(path, real)
        return False

    def _judged_place(self, path: str) -> str:
        if "\0" in path:
            raise OSError(errno.EINVAL, "its name holds a null character", path)
        # By its name, too: below /proc there are links to everything.
        why = self._refusal_by_name(path)
        if why:
            raise _refused(path, path, why)
        real = os.path.realpath(path)
        why = self._refusal(real)
        if why:
            raise _refused(path, real, why)
        if path not in self._reported and not self._is_allowed(real) and os.path.lexists(real):
            self._check_outside(path, real)
        return real

    def real_folder(self, path: str) -> str:
        """The same for a folder of which everything is read."""
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
                with os.scandir(self.real_folder(place)) as found:
                    waiting += [
                        self.real(entry.path) if entry.is_symlink() else entry.path
                        for entry in found
                        if entry.is_symlink()
                        or not (entry.is_file() or (is_git_name(entry.name) and place != checkout))
                    ]

    def search(self, folder: str) -> None:
        """Judge a folder that is searched for files, which are judged themselves when read."""
        if not self._is_allowed(os.path.realpath(folder)):
            self.real_folder(folder)

    def _folder(self, folder: str) -> _Folder | None:
        known = self._folders  # of other threads as well
        if folder not in known:
            waiting, place = [folder], folder
            while (above := _above(place)) != place and above not in known:
                waiting.append(above)
                place = above
            for one in reversed(waiting):  # what is known of one above is used below it
                known[one] = self._judged(one)
        return known[folder]

    def _judged(self, folder: str) -> _Folder | None:
        if "\0" in folder:
            return None
        real = self._real_of(folder) or "/"
        path, _, name = folder.rpartition("/")
        above = self._folders.get(path)
        if above and real == f"{above.real}/{name}" and not above.has_rules(name):
            return _Folder(real, frozenset(), frozenset())
        if self._refusal_by_name(folder) or not self._is_allowed(real) or self._refusal(real):
            return None
        below = f"{real}/" if real != "/" else real
        names, folded = _below(below, self._never), _below(below.casefold(), self._folded)
        ruled = frozenset(name.partition("/")[0] for name in (*names, *folded))
        return _Folder(real, frozenset(name for name in names if "/" not in name), ruled)

    def _real_of(self, folder: str) -> str:
        """The real path of a folder, empty for the root; those above it are resolved once."""
        if folder[:1] != "/":  # the current directory may be another one next time
            return os.path.realpath(folder).rstrip("/")
        known = self._real.get(folder)
        if known is None:
            above, _, name = folder.rpartition("/")
            if name in _NOT_NAMES:
                known = os.path.realpath(folder).rstrip("/")
            else:
                known = f"{self._real_of(above) if above else ''}/{name}"
                if os.path.islink(known):  # noqa: PTH114 - a text
                    known = os.path.realpath(known).rstrip("/")
            self._real[folder] = known
        return known

    def _is_allowed(self, real: str) -> bool:
        return bool(self._innermost_allowed(real))

    def _refusal(self, real: str) -> str:
        """Why a real path is never read; empty if it may be."""
        place, why = self._nearest(real)
        allowed = self._innermost_allowed(real)
        if why and len(place) > len(allowed):
            return why
        return self._refusal_of_git(real[len(allowed) :])

    def _refusal_by_name(self, path: str) -> str:
        """Why a path is never read, wherever its links lead; empty if it may be."""
        named = os.path.abspath(path)  # noqa: PTH100 - a text
        allowed = self._innermost_allowed(named)
        why = "" if allowed else _SYSTEM.get(_innermost_above(named, _SYSTEM), "")
        if why:
            return why
        return self._refusal_of_git(named[len(allowed) :])

    def _refusal_of_git(self, below: str) -> str:
        return _GIT if not self._of_git and has_git_name(below) else ""

    def _innermost_allowed(self, real: str) -> str:
        """Itself or the closest folder above it that may be read; empty if there is none."""
        return next((one for one in (real, *_upwards(real)) if one in self._allowed), "")

    def _nearest(self, real: str) -> tuple[str, str]:
        """The innermost place above a path that is never read, and why."""
        found = _innermost_above(real, self._never)
        why = self._never.get(found, "")
        folded = _innermost_above(real.casefold(), self._folded)
        if len(folded) > len(found):
            found, why = folded, self._folded[folded]
        for home in self._homes:
            below = real.removeprefix(f"{home.rstrip('/')}/")
            if below != real and below.startswith("."):
                hidden = f"{home.rstrip('/')}/{below.partition('/')[0]}"
                if len(hidden) > len(found):
                    found, why = hidden, "hidden files of a home directory may hold credentials"
        return found, why

    def _check_outside(self, path: str, real: str) -> None:
        for folder in (real, *_upwards(real)):
            if any(os.path.lexists(f"{folder}/{one}") for one in _CLUSTER):
                why = f"{folder} is the working directory of another cluster"
                raise _refused(path, real, why)
        why = self._mounted_elsewhere(real)
        if why:
            raise _refused(path, real, why)

    def _mounted_elsewhere(self, real: str) -> str:
        """Why a folder that is never read is not read at another path, either."""
        hidden = (
            f"{home}/{name}" for home in self._homes for name in _listed(home) if name[:1] == "."
        )
        refused = (place for place, why in self._never.items() if why)
        never = {_identity(place): place for place in (*refused, *hidden)}
        for place in (real, *_upwards(real)):
            if place in self._never:  # its rule was applied by its name
                break
            identity = _identity(place)
            if identity is not None and identity in never:
                return f"{place} is {never[identity]}, mounted or linked at another path"
        return ""


def _never(
    work: Iterable[str | PathLike[str]], private: Iterable[str], homes: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Places that are never read, and why; one without a reason may be read, unlike those above."""
    yield from _SYSTEM.items()
    for place in (*_SECRETS, *filter(None, map(os.environ.get, _NAMED_BY))):
        for one in place.split(os.pathsep):
            if one.startswith("/"):
                yield os.path.realpath(one), f"{one} may hold credentials"
    for name in _OURS:
        base = os.environ.get(name, "")
        if base.startswith("/"):
            yield os.path.realpath(f"{base}/commodore"), "tokens and caches of ours are in it"
    settings = os.path.realpath(os.environ.get("XDG_CONFIG_HOME") or "/")
    if not any(_is_below(home, settings) for home in homes):
        yield settings, f"settings of programs in {settings} may hold credentials"
    ours = (f"{os.path.realpath(folder)}/{name}" for folder in work for name in _PRIVATE)
    for place in (*ours, *private):
        for one in (os.path.abspath(place), os.path.realpath(place)):  # noqa: PTH100 - a text
            yield one, "it is private to this program and its user"


def _homes() -> tuple[str, ...]:
    """The home directory of the user, by the environment and by the system."""
    found = [os.path.expanduser("~")]  # noqa: PTH111 - a text
    try:
        import pwd  # not on Windows

        found.append(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):  # no such user: usual in containers
        pass
    return tuple(dict.fromkeys(os.path.realpath(one) for one in found if one.startswith("/")))


def _refused(path: str, real: str, why: str) -> NeverRead:
    leads = "" if real == path else f"it leads to {real}, and "
    return NeverRead(
        f"cannot read {path}: {leads}{why}",
        hint="content may read files below the search paths and of the component's checkout",
    )


def _below(folder: str, places: Iterable[str]) -> list[str]:
    return [place[len(folder) :] for place in places if place.startswith(folder)]


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder if folder == "/" else f"{folder}/")


def _innermost_above(path: str, folders: Iterable[str]) -> str:
    """The longest of these folders that a path is in; empty if it is in none."""
    return max((folder for folder in folders if _is_below(path, folder)), key=len, default="")


def _above(path: str) -> str:
    above, slash, _ = path.rpartition("/")
    return above or slash


def _upwards(path: str) -> Iterator[str]:
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


def _identity(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116 - a text
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - texts
    except OSError:
        return []
