"""Which of our environment variables a program gets that content decides about.

Kadet, charts, kustomizations and the like are written by others: they get what programs need to
run, and no token. Git gets everything but our own tokens, as the user's helpers may need it.
"""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

SWITCH = "COMMODORE_PASS_ENV"
"""More names, or patterns of names, separated by commas."""

OUR_SECRETS = ("COMMODORE_API_TOKEN", "COMMODORE_GITHUB_TOKEN")
"""For ourselves only: no program gets them, unless they are named."""

_NEEDED = re.compile(
    # The account, the language, the terminal, temporary files
    r"PATH|HOME|USER|LOGNAME|SHELL|PWD|TERM|COLUMNS|LINES|NO_COLOR|TZ|TZDIR|LANG|LANGUAGE|LC_.*"
    r"|TMPDIR|TMP|TEMP|XDG_.*|SOURCE_DATE_EPOCH"
    # The network: proxies may have a password, but without it there is no network
    r"|(?:HTTP|HTTPS|FTP|ALL|NO)_PROXY|(?:http|https|ftp|all|no)_proxy"
    r"|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NIX_.*"
    # The libraries and languages that programs are made with
    r"|LD_LIBRARY_PATH|DYLD_.*LIBRARY_PATH|VIRTUAL_ENV|CONDA_PREFIX|PYTHON.*|MALLOC_.*"
    r"|GOGC|GOMEMLIMIT|GODEBUG|GOMAXPROCS"
    # The programs themselves, by files and switches
    r"|KUBECONFIG|DOCKER_CONFIG|HELM_.*|KAPITAN_.*|KUSTOMIZE_.*"
    rf"|COMMODORE_(?:GIT|TUNING)|{SWITCH}"
)
# To fetch from Git remotes: agents, settings and certificates.
_FOR_REMOTES = re.compile(r"SSH_.*|GIT_.*|GNUPGHOME")
_SECRET = re.compile(
    r".*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|APIKEY|_KEY\b).*",
    re.IGNORECASE,
)


def child_environment(*, remotes: bool = False) -> dict[str, str]:
    """The variables for a program that content decides about; with `remotes`, for one like jb."""
    return allowed(os.environ, remotes=remotes)


def allowed(variables: Mapping[str, str], *, remotes: bool = False) -> dict[str, str]:
    """Those that are needed, and those that the user named (pure)."""
    named = [one.strip() for one in variables.get(SWITCH, "").split(",")]
    return {
        name: value
        for name, value in variables.items()
        if _is_needed(name, remotes=remotes) or any(fnmatchcase(name, one) for one in named)
    }


def _is_needed(name: str, *, remotes: bool) -> bool:
    if remotes and _FOR_REMOTES.fullmatch(name):
        return True  # settings by variables have names like GIT_CONFIG_KEY_0
    return _NEEDED.fullmatch(name) is not None and not _SECRET.fullmatch(name)
