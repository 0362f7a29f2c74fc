"""Secret values in manifests: references belong there instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from commodore_py.manifests.objects import mapping
from commodore_py.manifests.secrets import REFERENCE, has_reference

from .base import Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .base import Content, Item, Settings

NAME = "secrets"
_KEYS = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/=]{16}")
_TOKENS = re.compile(
    r"(?<![\w-])(?:gh[pousr]_[A-Za-z0-9]{36}|glpat-[\w-]{20}|AKIA[0-9A-Z]{16}"
    r"|xox[baprs]-[0-9A-Za-z-]{20,}|hvs\.[\w-]{24,})(?![\w-])"
)
_WORDS = ("PRIVATE KEY", "gh", "glpat-", "AKIA", "xox", "hvs.")
_HINT = "put it into the store of secrets, and write ?{vaultkv:…} here"
# Secrets whose values are not secret: made by others, or names.
_PUBLIC = {"ca.crt", "ca-bundle.crt", "namespace", "username", "type", "url", "project", "name"}
_TEMPLATES = ("kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token")


def check(items: Sequence[Item], _settings: Settings) -> Iterator[tuple[Item, Issue]]:
    """Values of Secrets without a reference, and keys and tokens anywhere."""
    for item in items:
        for issue in _issues(item.content):
            yield item, issue


def _issues(content: Content) -> Iterator[Issue]:
    if content["kind"] == "Secret" and content.get("type") not in _TEMPLATES:
        yield from _of_secret(content)
    for path, text in _strings(content, ""):
        if any(word in text for word in _WORDS):
            what = "private key" if _KEYS.search(text) else "token" if _TOKENS.search(text) else ""
            if what:
                yield Issue("secrets/private-key", f"there is a {what} here", path, _HINT)


def _of_secret(content: Content) -> Iterator[Issue]:
    for key in ("data", "stringData"):
        for name, value in mapping(content.get(key)).items():
            if not isinstance(value, str) or not value or name in _PUBLIC:
                continue
            path = f"{key}.{name}"
            if REFERENCE.search(value):
                continue
            if key == "data" and has_reference(value):
                text = "a secret reference is inside of base64: it will not be replaced"
                yield Issue("secrets/in-base64", text, path, "use stringData")
            else:
                yield Issue("secrets/plain-text", "a value is not a secret reference", path, _HINT)


def _strings(value: object, path: str) -> Iterator[tuple[str, str]]:
    waiting = [(value, path)]
    while waiting:
        node, at = waiting.pop()
        if isinstance(node, str):
            yield at, node
        elif isinstance(node, dict):
            waiting += [(inner, f"{at}.{key}" if at else str(key)) for key, inner in node.items()]
        elif isinstance(node, list):
            waiting += [(inner, f"{at}[{number}]") for number, inner in enumerate(node)]
