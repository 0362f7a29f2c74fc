"""Credentials for container registries, from the files of Docker and Helm."""

from __future__ import annotations

import base64
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import json_text
from commodore_py.adapters.masking import REDACTOR
from commodore_py.adapters.process import ProgramFailed, run
from commodore_py.adapters.reading import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger(__name__)

_HUB = "https://index.docker.io/v1/"
_HUB_HOSTS = ("docker.io", "index.docker.io", "registry-1.docker.io")
_BY_TOKEN = "<token>"  # noqa: S105 - the user name that helpers print for an identity token


@dataclass(frozen=True, slots=True)
class Login:
    """User and password, or a token that stands for both."""

    user: str = ""
    password: str = ""
    identity_token: str = ""


def login_for(host: str) -> Login | None:
    """The credentials for a registry, if a file or a helper has any."""
    names = (
        (_HUB, "docker.io") if host in _HUB_HOSTS else (host, f"https://{host}", f"http://{host}")
    )
    for content in _files():
        for name in names:
            login = _from_helper(content, name) or _from_file(content, name)
            if login is not None:
                REDACTOR.learn(login.password, login.identity_token)
                return login
    return None


def _files() -> Iterator[dict[str, Any]]:
    for file in _places():
        try:
            content = json_text.load(bytes_of(str(file)), name=str(file))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            log.warning("ignoring %s, which cannot be read: %s", file, error)
            continue
        if isinstance(content, dict):
            yield content


def _places() -> Iterator[Path]:
    environment = os.environ
    home = Path(environment.get("HOME") or "/")
    if named := environment.get("HELM_REGISTRY_CONFIG"):
        yield Path(named)
    else:
        yield (
            Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
            / "helm/registry/config.json"
        )
    yield Path(environment.get("DOCKER_CONFIG") or home / ".docker") / "config.json"


def _from_file(content: dict[str, Any], name: str) -> Login | None:
    logins = content.get("auths")
    entry = logins.get(name) if isinstance(logins, dict) else None
    if not isinstance(entry, dict):
        return None
    token = str(entry.get("identitytoken") or "")
    user, password = str(entry.get("username") or ""), str(entry.get("password") or "")
    if not user and entry.get("auth"):
        try:
            text = base64.b64decode(str(entry["auth"])).decode()
        except ValueError:
            return None
        user, _, password = text.partition(":")
    return Login(user, password, token) if user or token else None


def _from_helper(content: dict[str, Any], name: str) -> Login | None:
    helpers = content.get("credHelpers")
    helper = helpers.get(name) if isinstance(helpers, dict) else None
    helper = helper or content.get("credsStore")
    if not helper:
        return None
    try:
        answer = json_text.load(
            run([f"docker-credential-{helper}", "get"], stdin=name.encode()), name=helper
        )
        user, secret = str(answer["Username"]), str(answer["Secret"])
    except (ProgramFailed, ValueError, KeyError, TypeError):
        log.info("docker-credential-%s has no credentials for %s", helper, name)
        return None
    return Login(identity_token=secret) if user == _BY_TOKEN else Login(user, secret)
