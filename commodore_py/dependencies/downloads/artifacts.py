"""Artifacts of OCI registries: the layers of a manifest, written to the paths in their titles."""

from __future__ import annotations

import os
import posixpath
from typing import TYPE_CHECKING

from commodore_py.adapters.files.archives import BadArchive, Member, below, is_tar, pack, unpack_tar
from commodore_py.adapters.http.credentials import Login, login_for
from commodore_py.adapters.http.registry import Reference, Registry
from commodore_py.errors import CommodoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from commodore_py.adapters.files.archives import Content
    from commodore_py.model.download import Artifact

    from .store import FetchSettings, Store, Stored

_FOLDER = "application/vnd.oci.image.layer.v1.tar+gzip"
_TITLE = "org.opencontainers.image.title"


def fetch_artifact(artifact: Artifact, settings: FetchSettings) -> Stored:
    """Fetch all layers of the requested type; a cached digest is used without a request."""
    reference, store = Reference.parse(artifact.reference), settings.store
    requested = _key(artifact, reference.digest or reference.tag)
    stored = store.find(*requested)
    if stored is not None and (reference.digest or not settings.refresh):
        return stored
    settings.require_network(str(artifact))
    registry = Registry(
        reference, settings.timeout, artifact.plain_http, artifact.verify, login=_login
    )
    manifest, digest = registry.manifest()
    stored = store.find(*_key(artifact, digest))
    if stored is None:
        stored = _pull(artifact, store, registry, manifest, digest)
    return store.note(stored.source, *requested, sha256=stored.sha256, digest=digest)


def _pull(
    artifact: Artifact, store: Store, registry: Registry, manifest: Mapping[str, Any], digest: str
) -> Stored:
    content: dict[str, Member] = {}
    with store.incoming() as folder:
        for layer in manifest["layers"]:
            if artifact.media_type and layer.get("mediaType") != artifact.media_type:
                continue
            blob = folder / "blob"
            registry.blob(str(layer.get("digest")), blob)
            content |= _files_of(layer, blob)
        packed = folder / "artifact.tar"
        pack(content, packed)
        source = f"{artifact} {digest[:19]}"
        return store.add(packed, source, *_key(artifact, digest), digest=digest)


def content_of(artifact: Artifact, file: Path) -> Content:
    """The requested files of an artifact."""
    content = unpack_tar(file)
    if not artifact.subpath:
        return content
    inner = below(content, posixpath.normpath(artifact.subpath))
    if not inner:
        tops = sorted({name.partition("/")[0] for name in content})
        raise CommodoreError(
            f"the artifact has no folder {artifact.subpath}",
            where=artifact.reference,
            hint=f"available: {', '.join(tops) or 'no files'}",
        )
    return inner


def _files_of(layer: Mapping[str, Any], blob: Path) -> Content:
    """The files of a layer; tar archives are unpacked at the root, whatever their title."""
    annotations = layer.get("annotations") or {}
    title = str(annotations.get(_TITLE) or layer.get("digest"))
    clean = posixpath.normpath(title)
    if clean.startswith(("/", "..")):
        raise BadArchive(f"{title} would be written outside of its folder")
    if layer.get("mediaType") == _FOLDER:
        start = posixpath.dirname(clean)
        return {posixpath.join(start, name): member for name, member in unpack_tar(blob).items()}
    if is_tar(blob):
        return unpack_tar(blob)
    return {clean: Member(blob.read_bytes())}


def _login(host: str) -> Login | None:
    """Credentials from Kapitan's variables, else from the usual files."""
    user, password = os.environ.get("OCI_USERNAME"), os.environ.get("OCI_PASSWORD")
    return Login(user, password) if user and password else login_for(host)


def _key(artifact: Artifact, version: str) -> tuple[str, ...]:
    return "artifact", artifact.reference.partition("@")[0], version, artifact.media_type
