"""The `.env` file: variables for the whole run, where the environment has none of that name."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from commodore_py.adapters.reading import bytes_of, bytes_of_pipe
from commodore_py.cli.output import messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


_OURS, _WORKING_DIR = "COMMODORE_", "COMMODORE_WORKING_DIR"
_HERE, _BELOW = (".", ".."), ("./", "../")
MOST_CHARACTERS = 1 << 20
"""Of all values of a `.env` file."""
_LARGEST = 1 << 20
# Variables that name programs or libraries, settings that name programs, what these get to see,
# caches that are believed, and who is trusted.
_RUNS_PROGRAMS = (
    r"GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)$).*|.*_ASKPASS|PATH|HOME|SHELL|ENV|BASH_ENV|IFS"
    r"|LD_.*|DYLD_.*|PYTHON(?!_DOTENV).*|PERL5.*|RUBY.*|NODE_.*|JAVA_.*|GCONV_PATH|LOCPATH"
    r"|EDITOR|VISUAL|(?:.*_)?PAGER|LESSOPEN|LESSCLOSE|BROWSER|SSH_.*|XDG_.*"
    r"|KAPITAN_HELM_PATH|HELM_(?!NAMESPACE$|DEBUG$).*|KUSTOMIZE_.*|KUBECONFIG|DOCKER_CONFIG"
    r"|REQUESTS_CA_BUNDLE|CURL_.*|SSL_CERT_(?:FILE|DIR)|SSLKEYLOGFILE|OPENSSL_.*|GODEBUG|CUE_.*"
    r"|NETRC|HOSTALIASES|VAULT_(?:CA.*|CLIENT_.*|SKIP_VERIFY)"
    r"|COMMODORE_(?:PASS_ENV|TOOL_MIRROR|GITHUB_URL)|(?:AUTH|OAUTH)LIB_INSECURE_TRANSPORT"
)
_YES = ("1", "true", "t", "yes", "y")


@dataclass(frozen=True, slots=True)
class DotEnv:
    """The file that was read, and the variables set from it."""

    path: Path
    names: frozenset[str]


def load(start: Path) -> DotEnv | None:
    """Set variables from the nearest `.env` in a folder or its parents; existing variables win."""
    if os.environ.get("PYTHON_DOTENV_DISABLED", "").casefold() in _YES:
        return None
    for folder in (start, *start.parents):
        file = folder / ".env"
        with suppress(OSError):
            if file.is_file() or file.is_fifo():
                return _load(file)
    return None


def _load(file: Path) -> DotEnv | None:
    from dotenv.main import DotEnv as Variables  # only where there is a file
    from dotenv.parser import parse_stream

    try:
        # Read once: it may be a pipe, from a password manager for example.
        read = bytes_of_pipe if file.is_fifo() else bytes_of
        text = read(str(file), limit=_LARGEST).decode().replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        problem = getattr(error, "strerror", None) or "not valid UTF-8"
        messages.warn(f"ignoring the .env file, which cannot be read: {problem}", where=str(file))
        return None
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            place = f"{file}:{binding.original.line}"
            messages.warn("ignoring this line: expected NAME=VALUE", where=place)
    # Its own warnings name no file; invalid lines were reported above.
    logging.getLogger("dotenv.main").setLevel(logging.ERROR)
    variables = Variables(None, stream=StringIO(text), override=False)
    if _size(Variables(None, stream=StringIO(text)).parse()) > MOST_CHARACTERS:
        problem = f"references in it add up to more than {MOST_CHARACTERS:,} characters"
        messages.warn(f"ignoring the .env file: {problem}", where=str(file))
        return None
    return DotEnv(file, frozenset(_set(variables.dict(), file)))


def _size(values: Iterable[tuple[str, str | None]]) -> int:
    """How many characters the values have at most, once references in them are replaced."""
    sizes = {name: len(value) for name, value in os.environ.items()}
    total = 0
    for name, value in values:
        names = re.findall(r"\$\{([^}:]*)", value or "")
        size = len(value or "") + sum(sizes.get(name, 0) for name in names)
        sizes[name] = max(size, sizes.get(name, 0))
        total += size
    return total


def _set(values: Mapping[str, str | None], file: Path) -> Iterator[str]:
    """Set the variables that are not there yet; returns their names."""
    # It gets the token: that must be of the file, too.
    is_foreign = "VAULT_TOKEN" in os.environ or not values.get("VAULT_TOKEN")
    for name, value in values.items():
        if value is None or name in os.environ:
            continue
        if (name == "VAULT_ADDR" and is_foreign) or re.fullmatch(_RUNS_PROGRAMS, name):
            # The file may have come with the folder, as content of someone else.
            problem = "a .env file must not decide which programs run, or what they trust"
            hint = f"export {name} in the shell"
            messages.warn(f"ignoring {name}: {problem}", where=str(file), hint=hint)
            continue
        try:
            os.environ[name] = _from_its_folder(name, value, file.parent)
        except (ValueError, OSError):  # an empty name, a null character
            problem = f"ignoring {name!r}: the system does not take such a name or value"
            messages.warn(problem, where=str(file))
        else:
            yield name


def _from_its_folder(name: str, value: str, folder: Path) -> str:
    """A value of ours that is a relative path, for use in another folder than that of the file."""
    relative = value in _HERE or value.startswith(_BELOW)
    if name == _WORKING_DIR:
        relative = bool(value) and not value.startswith("/")
    if not (relative and name.startswith(_OURS)) or folder == folder.cwd():
        return value
    return os.path.normpath(folder / value)
