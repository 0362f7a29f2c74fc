"""The reference files of a catalog, and what is behind them in Vault."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from commodore_py.adapters import files
from commodore_py.adapters.http.vault import Place, Server
from commodore_py.adapters.masking import REDACTOR
from commodore_py.catalog.layout import REFERENCES
from commodore_py.compiler.tags import BadTag, Tags
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile
from commodore_py.refs.backends import vaultkv

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from commodore_py.model.problems.vault import VaultSettings
    from commodore_py.refs.backends.vaultkv import Described

_KIND = "vaultkv"
_COMPILE = "compile the cluster again, and use the catalog that this writes"


def reference_files(catalog: Path) -> tuple[ReferenceFile, ...]:
    """The reference files of a catalog, as the last compile wrote it."""
    folder = catalog / REFERENCES
    if not folder.is_dir():
        return ()
    tree = files.read_tree(folder)
    return tuple(ReferenceFile(str(path), entry.content, _KIND) for path, entry in tree.items())


def revealing(catalog: Path, vault: VaultSettings) -> Callable[[str], str]:
    """A source of values of references; each is requested once.

    Kapitan reveals references, too, but it sends the token to whichever server the catalog names.
    """
    reference_files_ = reference_files(catalog)
    tags = Tags.of(reference_files_)
    by_path = {reference_file.path: reference_file for reference_file in reference_files_}
    server_at = cache(lambda address, namespace: Server(address, vault.login, namespace=namespace))

    @cache
    def reveal(reference: str) -> str:
        try:
            tags.in_text(reference)
        except BadTag as error:
            raise _failed(reference, "the catalog has no such reference file", _COMPILE) from error
        kind, path = reference[2:-1].split(":")[:2]
        if kind != _KIND or path not in by_path:
            raise _failed(reference, f"only plain {_KIND} references can be replaced here", "")
        described = vaultkv.read(by_path[path])
        if described is None:
            raise _failed(reference, "its reference file is not valid", _COMPILE)
        allowed = {address.rstrip("/") for address in vault.addresses}
        if described.address not in allowed:
            named = f"its reference file names {described.address or 'no server'}"
            hint = "allow it by VAULT_ADDR" if described.address else ""
            raise _failed(reference, f"{named}, which was not asked", hint)
        server = server_at(described.address, described.namespace)
        value = _value(server, described, reference)
        REDACTOR.learn(value)
        return value

    return reveal


def _value(server: Server, described: Described, reference: str) -> str:
    answer = server.read(Place(described.mount, described.secret))
    who = f"{described.address} as {server.identity}"
    if answer.outcome != "exists":
        why = answer.reason or "there is no such secret"
        raise _failed(reference, f"{who}: {described.secret}: {why}", "")
    value: Any = answer.values.get(described.key)
    if not isinstance(value, str) or not value:
        what = "is not text" if described.key in answer.values else "does not exist"
        raise _failed(reference, f"{who}: key {described.key} of {described.secret} {what}", "")
    return value


def _failed(reference: str, why: str, hint: str) -> CommodoreError:
    return CommodoreError(f"{reference} cannot be replaced by its value: {why}", hint=hint)
