"""References to secrets in Vault, compared with what is there: `--online`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commodore_py.adapters.http.vault import Place as Secret
from commodore_py.adapters.http.vault import Server
from commodore_py.manifests.objects import mapping, value_in
from commodore_py.model.names import counted
from commodore_py.model.problem import Place, Problem

from .base import Ended, Issue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from commodore_py.adapters.http.vault import Found
    from commodore_py.model.problems.vault import VaultSettings

    from .base import Document, Documents, Item, Settings

NAME = "secrets"
_REFERENCE = re.compile(rb"\?\{vaultkv:([^{}|\s]+?)(?::[0-9a-f]{8})?\}")
_ABSENT, _DELETED, _UNCHECKED = "secrets/absent", "secrets/deleted", "secrets/unchecked"
_MOUNT = "secret"


@dataclass(frozen=True, slots=True)
class _Use:
    """A reference in an object; the first one of each."""

    item: Item
    secret: str
    key: str
    others: int


def run(documents: Documents, settings: Settings) -> Ended | None:
    """Which references lead nowhere; None unless it was asked for."""
    vault = settings.vault
    if vault is None:
        return None
    uses = list(_uses(documents()))
    if not uses:
        return Ended(())
    address, why = _address(settings, vault)
    if why:
        return Ended([_unchecked(len(uses), why)], "unchecked", why)
    namespace = str(settings.vault_parameters.get("VAULT_NAMESPACE") or "")
    server = Server(address, vault.login, namespace=namespace)
    found_by_place = server.look_up(_place(settings, use.secret) for use in uses)
    problems: list[Problem | tuple[Item, Issue]] = []
    unknown: dict[str, list[_Use]] = {}
    for use in uses:
        found_there = found_by_place[_place(settings, use.secret)]
        if found_there.outcome == "unknown":
            unknown.setdefault(found_there.reason, []).append(use)
        else:
            problems += [(use.item, issue) for issue in _issues(use, found_there)]
    for reason, some in unknown.items():
        why = f"{address} as {server.identity}: {reason}"
        problems.append(_unchecked(len(some), why, f"{some[0].secret}/{some[0].key}"))
    only_unknown = len(problems) == len(unknown) > 0
    return Ended(problems, "unchecked" if only_unknown else None, next(iter(unknown), ""))


def vault_parameters(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings of the hierarchy about Vault."""
    return mapping(value_in(parameters.get("kapitan"), "secrets", "vaultkv"))


def _uses(documents: Sequence[Document]) -> Iterator[_Use]:
    places: dict[str, list[Item]] = {}
    for document in documents:
        names = {match.decode(errors="replace") for match in _REFERENCE.findall(document.text)}
        for name in sorted(names):
            if document.items and "/" in name:
                places.setdefault(name, []).append(document.items[0])
    for name, items in sorted(places.items()):
        secret, _, key = name.rpartition("/")
        yield _Use(items[0], secret, key, len(items) - 1)


def _address(settings: Settings, vault: VaultSettings) -> tuple[str, str]:
    """The server to use, or why there is none."""
    if not vault.addresses:
        return "", "no server is named: set VAULT_ADDR"
    configured = str(settings.vault_parameters.get("VAULT_ADDR") or "").rstrip("/")
    if not configured:
        return "", "parameters.kapitan.secrets.vaultkv has no VAULT_ADDR"
    if configured not in {address.rstrip("/") for address in vault.addresses}:
        return "", f"the hierarchy names {configured}, which is not VAULT_ADDR: not requested"
    return configured, ""


def _place(settings: Settings, secret: str) -> Secret:
    return Secret(str(settings.vault_parameters.get("mount") or _MOUNT), secret)


def _issues(use: _Use, found_there: Found) -> Iterator[Issue]:
    name = f"{use.secret}/{use.key}"
    more = f", also used by {counted(use.others, 'other document')}" if use.others else ""
    if found_there.outcome == "absent":
        text = f"Vault has no secret {use.secret}{more}"
        yield Issue(_ABSENT, text, remedy=f"write it, with the key {use.key}", subject=name)
    elif found_there.outcome == "deleted":
        text = f"the latest version of secret {use.secret} is deleted{more}"
        yield Issue(_DELETED, text, remedy="write it again, or undelete it", subject=name)
    elif use.key not in found_there.keys:
        text = f"secret {use.secret} has no key {use.key}{more}"
        yield Issue(_ABSENT, text, subject=name, options=found_there.keys)


def _unchecked(count: int, why: str, first: str = "") -> Problem:
    such = f", such as {first}" if first else ""
    text = f"secrets that could not be looked up: {count}{such}: {why}"
    return Problem.at(Place(), _UNCHECKED, text, subject=first or NAME, strict=True)
