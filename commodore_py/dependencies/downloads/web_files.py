"""Files and archives from the web: revalidated by ETag, unpacked as Kapitan does."""

from __future__ import annotations

import mimetypes
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from commodore_py.adapters.files.archives import is_zip, unpack_tar, unpack_zip
from commodore_py.adapters.http import exchange
from commodore_py.adapters.http.errors import HttpError
from commodore_py.adapters.http.exchange import Request
from commodore_py.adapters.masking import without_secrets

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content

    from .store import FetchSettings, Stored

_NOTED = {"etag": "ETag", "modified": "Last-Modified", "type": "Content-Type"}
_CONDITIONS = {"etag": "If-None-Match", "modified": "If-Modified-Since"}
_TAR = "application/x-tar"
_ZIP = "application/zip"
_GZIP = {
    "application/gzip",
    "application/octet-stream",
    "application/x-gzip",
    "application/x-compressed",
    "application/x-compressed-tar",
}


def fetch_file(url: str, settings: FetchSettings) -> Stored:
    """Fetch the content of a URL, or use the cached one without a refresh."""
    shown = without_secrets(url)
    stored = settings.store.find("file", url)
    if stored is not None and not settings.refresh:
        return stored
    settings.require_network(shown)
    conditions = {
        header: stored.about[name]
        for name, header in _CONDITIONS.items()
        if stored is not None and stored.about.get(name)
    }
    request = Request(url, conditions, timeout=settings.timeout)
    with settings.store.incoming() as folder:
        file = folder / "file"
        try:
            headers = exchange.fetch(request, file).headers
        except HttpError as error:
            if error.status != HTTPStatus.NOT_MODIFIED or stored is None:
                raise
            return settings.store.note(shown, "file", url, sha256=stored.sha256, **stored.about)
        about = {name: headers[header] for name, header in _NOTED.items() if header in headers}
        return settings.store.add(file, shown, "file", url, **about)


def is_archive(file: Path, url: str, content_type: str | None) -> bool:
    """Return whether Kapitan would unpack it."""
    return _form(file, url, content_type) is not None


def unpacked(file: Path, url: str, content_type: str | None) -> Content:
    """The files of an archive; none if Kapitan does not treat it as one."""
    form = _form(file, url, content_type)
    if form is None:
        return {}
    return unpack_zip(file) if form == _ZIP else unpack_tar(file)


def _form(file: Path, url: str, content_type: str | None) -> str | None:
    name = url.rpartition("/")[2]
    if content_type is None:
        content_type = mimetypes.guess_type(name)[0]
    if content_type in (None, "application/octet-stream") and is_zip(file):
        return _ZIP
    if content_type in _GZIP:
        return _TAR if re.search(r"(\.tar\.gz|\.tgz)$", name) else None
    return content_type if content_type in (_TAR, _ZIP) else None
