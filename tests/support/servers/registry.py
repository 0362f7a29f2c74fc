"""A container registry on this machine, as far as reading goes: tokens, tags, manifests, blobs."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .web import Page, Request, Web

if TYPE_CHECKING:
    from collections.abc import Mapping

CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"


@dataclass
class Registry:
    """Repositories on a web server; with a login, only who has a token may read."""

    web: Web
    login: tuple[str, str] | None = None
    anonymous: bool = True
    tokens: list[str] = field(default_factory=list)

    @property
    def host(self) -> str:
        """Host and port."""
        return self.web.host

    def push(
        self,
        name: str,
        tag: str,
        layers: Mapping[str, bytes],
        kinds: Mapping[str, str] | None = None,
    ) -> str:
        """Keep layers by their titles under a tag; returns the manifest's digest."""
        kinds = kinds or {}
        described = []
        for title, content in layers.items():
            digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
            self._serve(f"/v2/{name}/blobs/{digest}", content, "application/octet-stream")
            described.append(
                {
                    "mediaType": kinds.get(title, CHART),
                    "digest": digest,
                    "size": len(content),
                    "annotations": {"org.opencontainers.image.title": title},
                }
            )
        manifest = json.dumps(
            {"schemaVersion": 2, "mediaType": MANIFEST, "layers": described}
        ).encode()
        digest = f"sha256:{hashlib.sha256(manifest).hexdigest()}"
        for reference in (tag, digest):
            self._serve(f"/v2/{name}/manifests/{reference}", manifest, MANIFEST, digest)
        self._tag(name, tag)
        return digest

    def _tag(self, name: str, tag: str) -> None:
        path = f"/v2/{name}/tags/list"
        page = self.web.pages.get(f"{path} as it is")
        known: list[Any] = json.loads(page.content)["tags"] if isinstance(page, Page) else []
        content = json.dumps({"name": name, "tags": [*known, tag]}).encode()
        self.web.pages[f"{path} as it is"] = Page(content)
        self._serve(path, content, "application/json")

    def _serve(self, path: str, content: bytes, kind: str, digest: str = "") -> None:
        def answer(request: Request) -> Page:
            known = request.headers.get("Authorization", "").removeprefix("Bearer ") in self.tokens
            if not known and not (self.anonymous and self.login is None):
                return self._challenge()
            headers = {"Docker-Content-Digest": digest} if digest else {}
            return Page(content, kind, headers=headers, stamped=False)

        self.web.pages[path] = answer
        self.web.pages["/token?service=here&scope=repository%3Acharts%2Fown%3Apull"] = self._token

    def _challenge(self) -> Page:
        realm = (
            f'Bearer realm="{self.web.url}/token",service="here",scope="repository:charts/own:pull"'
        )
        return Page(b"{}", "application/json", status=401, headers={"WWW-Authenticate": realm})

    def _token(self, request: Request) -> Page:
        if self.login is not None:
            wanted = base64.b64encode(":".join(self.login).encode()).decode()
            if request.headers.get("Authorization") != f"Basic {wanted}":
                return Page(b"{}", "application/json", status=401)
        self.tokens.append(f"token-{len(self.tokens)}")
        content = json.dumps({"token": self.tokens[-1]}).encode()
        return Page(content, "application/json", stamped=False)
