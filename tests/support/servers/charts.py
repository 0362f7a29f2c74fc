"""Packaged charts, and a repository of them."""

from __future__ import annotations

import hashlib
import io
import tarfile
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .web import Web


def tar_archive(files: Mapping[str, str | bytes], *, mode: str = "w:gz") -> bytes:
    """An archive of files; names that end with a slash are folders."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]  # any mode
        for name, content in files.items():
            about = tarfile.TarInfo(name.rstrip("/"))
            data = content.encode() if isinstance(content, str) else content
            about.size, about.mode = len(data), 0o755 if name.endswith((".sh", "/")) else 0o644
            about.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(about, io.BytesIO(data))
    return out.getvalue()


def chart_archive(name: str, version: str, **files: str) -> bytes:
    """A packaged chart; `more` are contents by file name, `__` standing for a slash."""
    chart = yaml.safe_dump({"apiVersion": "v2", "name": name, "version": version})
    template = "kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\n"
    content = {
        "Chart.yaml": chart,
        "values.yaml": "a: 1\n",
        "templates/map.yaml": template,
        **{path.replace("__", "/"): text for path, text in files.items()},
    }
    return tar_archive({f"{name}/{path}": text for path, text in content.items()})


def chart_repository(
    web: Web, charts: Mapping[tuple[str, str], bytes], *, path: str = "/charts"
) -> str:
    """Serve charts with their index; returns the repository's URL."""
    entries: dict[str, list[dict[str, object]]] = {}
    for (name, version), content in charts.items():
        file = f"{name}-{version}.tgz"
        web.put(f"{path}/files/{file}", content)
        entries.setdefault(name, []).append(
            {
                "apiVersion": "v2",
                "name": name,
                "version": version,
                "digest": hashlib.sha256(content).hexdigest(),
                "urls": [f"files/{file}"],
            }
        )
    index = {"apiVersion": "v1", "entries": entries, "generated": "2026-01-02T03:04:05Z"}
    web.put(f"{path}/index.yaml", yaml.safe_dump(index), content_type="text/yaml")
    return f"{web.url}{path}"
