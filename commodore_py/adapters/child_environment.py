"""Which of our environment variables a program gets that content decides about.

Code that others wrote gets what programs need to run, and no token. Programs of the user's, as helm
and jb, may be wrappers with settings of their own: they get all but what is named like a secret.
Git gets everything but our own tokens, as the user's helpers may need it.
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

_NEEDED = (
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
    rf"|{SWITCH}"
)
_NAMES_OF_SECRETS = (
    r"(?i).*(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|APIKEY|ACCESS_KEY|_KEY\b"
    r"|_AUTH\b).*"
)


def child_environment(*, users_own: bool = False) -> dict[str, str]:
    """The variables for code of others, or for a program of the user's that works on content."""
    return allowed(os.environ, users_own=users_own)


def allowed(variables: Mapping[str, str], *, users_own: bool = False) -> dict[str, str]:
    """Select the variables that are needed, and those that the user named (pure)."""
    named = [part.strip() for part in variables.get(SWITCH, "").split(",")]
    return {
        name: value
        for name, value in variables.items()
        if _may_pass(name, users_own=users_own)
        or any(fnmatchcase(name, pattern) for pattern in named)
    }


def _may_pass(name: str, *, users_own: bool) -> bool:
    if re.fullmatch(_NAMES_OF_SECRETS, name):
        return False
    return users_own or re.fullmatch(_NEEDED, name) is not None
