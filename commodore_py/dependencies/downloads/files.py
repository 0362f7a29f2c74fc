"""Files and archives from the web: asked for again by their stamps, unpacked as Kapitan does."""

from __future__ import annotations

import mimetypes
import re
from typing import TYPE_CHECKING

from commodore_py.adapters.files.archives import Member, is_zip, unpack_tar, unpack_zip
from commodore_py.adapters.git.urls import without_password
from commodore_py.adapters.http import web
from commodore_py.adapters.http.web import Request, Stamp

if TYPE_CHECKING:
    from pathlib import Path

    from commodore_py.adapters.files.archives import Content

    from .mode import Mode
    from .store import Known

_TAR = "application/x-tar"
_ZIP = "application/zip"
_GZIP = {
    "application/gzip",
    "application/octet-stream",
    "application/x-gzip",
    "application/x-compressed",
    "application/x-compressed-tar",
}


def fetch_file(url: str, mode: Mode, *, raw: bool = False) -> Known:
    """The content of a URL as it is now, or as it was found last where nobody is asked."""
    shown = without_password(url)
    known = mode.store.find("file", url)
    if known is not None and not mode.ask and mode.store.verified(known):
        return known
    mode.require_network(shown)
    stamp = None
    if known is not None and mode.store.verified(known):
        stamp = Stamp(known.about.get("etag", ""), known.about.get("modified", ""))
    with mode.store.incoming() as folder:
        file = folder / "file"
        request = Request(url, timeout=mode.timeout, raw=raw)
        arrived = web.fetch(request, file, stamp)
        if arrived is None and known is not None:
            return mode.store.note(shown, "file", url, sha256=known.sha256, **known.about)
        if arrived is None:  # not modified, but nothing to compare with was sent along
            arrived = web.fetch(request, file)
        about = {"etag": arrived.stamp.etag, "modified": arrived.stamp.modified} if arrived else {}
        if arrived is not None and arrived.content_type is not None:
            about["type"] = arrived.content_type
        return mode.store.keep(file, shown, "file", url, **about)


def is_archive(file: Path, url: str, content_type: str | None) -> bool:
    """Whether Kapitan would unpack it."""
    return _form(file, url, content_type) is not None


def unpacked(file: Path, url: str, content_type: str | None) -> Content | None:
    """What is in an archive; None where Kapitan does not take it for one."""
    form = _form(file, url, content_type)
    if form is None:
        return None
    return unpack_zip(file) if form == _ZIP else unpack_tar(file)


def alone(file: Path) -> Content:
    """A file that is not unpacked: the place itself is the file."""
    return {"": Member(file.read_bytes())}


def _form(file: Path, url: str, content_type: str | None) -> str | None:
    name = url.rpartition("/")[2]
    if content_type is None:
        content_type = mimetypes.guess_type(name)[0]
    if content_type in (None, "application/octet-stream") and is_zip(file):
        return _ZIP
    if content_type in _GZIP:
        return _TAR if re.search(r"(\.tar\.gz|\.tgz)$", name) else None
    return content_type if content_type in (_TAR, _ZIP) else None
