"""Downloads of a locked run: requests become exact ones, and content is compared with the lock."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from commodore_py.adapters.masking import without_secrets
from commodore_py.dependencies.downloads.chart_versions import best, is_exact
from commodore_py.dependencies.downloads.repositories import ref_key
from commodore_py.dependencies.git.revisions import is_commit
from commodore_py.dependencies.offline import NotAvailableOffline
from commodore_py.errors import CommodoreError
from commodore_py.model.download import Artifact, Chart, Repository, WebFile

from .commits import tree_in
from .document import hint_of_download

if TYPE_CHECKING:
    from commodore_py.dependencies.downloads.fetch import Fetcher
    from commodore_py.dependencies.downloads.store import Stored
    from commodore_py.model.download import Source

    from .document import Block, Path
    from .state import LockState

_SUM = re.compile(r"sha256:([0-9a-f]{64})")


def path_of(source: Source) -> Path:
    """The block of a download."""
    match source:
        case Chart(repository, name, version):
            place = repository.rstrip("/")
            # The reference of a registry names the chart already.
            if not repository.startswith("oci://"):
                place = f"{place}/{name}"
            return "chart", f"{without_secrets(place)}@{version}"
        case WebFile(url):
            return "file", without_secrets(url)
        case Repository(url, ref):
            return "repository", f"{without_secrets(url)}@{ref or ''}"
        case Artifact(reference):
            return "artifact", without_secrets(reference)


def sha256_in(block: Block) -> str:
    """The SHA-256 of a pin; empty if it is missing, or of another version."""
    text, version = block.text("sum"), block.text("version")
    if version:
        of, _, text = text.rpartition(" ")
        if of != version:
            return ""
    match = _SUM.fullmatch(text)
    return match[1] if match else ""


def is_complete(path: Path, block: Block) -> bool:
    """Return whether a pin says all that it should."""
    match path[0]:
        case "repository":
            return is_commit(block.text("commit")) and is_commit(block.text("tree"))
        case "artifact":
            return bool(_SUM.fullmatch(block.text("digest")))
    return bool(sha256_in(block))


def as_pinned(source: Source, block: Block) -> Source:
    """The request for exactly what is locked."""
    version = block.text("version")
    match source:
        case Chart() if version:
            return source._replace(version=version)
        case Repository() if is_commit(block.text("commit")):
            return replace(source, ref=block.text("commit"))
        case Artifact(reference) if _SUM.fullmatch(block.text("digest")):
            name = reference.partition("@")[0]
            return replace(source, reference=f"{name}@{block.text('digest')}")
    return source


class DownloadInputs:
    """Fetches what is locked, and notes what is not."""

    def __init__(self, state: LockState, fetcher: Fetcher) -> None:
        self._state, self._fetcher, self._store = state, fetcher, fetcher.store

    def fetch(self, source: Source) -> Stored | CommodoreError:
        """Fetch a source as it is locked, or note what it is now."""
        path = path_of(source)
        pin = self._state.pin(path)
        complete = pin is not None and is_complete(path, pin)
        if self._state.settings.frozen and not complete:
            what, why = without_secrets(str(source)), self._state.why_not_pinned(path)
            return self._state.refusal(what, why)
        if path in self._state.settings.renewed and isinstance(source, Chart):
            self._store.forget("chart", *source[:3])  # an exact version would not be requested
        try:
            return self._found(source, path, pin if complete else None, incomplete=pin)
        except CommodoreError as error:
            return error

    def _found(
        self, source: Source, path: Path, pin: Block | None, *, incomplete: Block | None
    ) -> Stored | CommodoreError:
        sha256 = sha256_in(pin) if pin is not None else ""
        if sha256:
            stored = self._store.find(*self._key(source, sha256))
            if stored is not None and stored.sha256 == sha256:
                self._state.keep(path)
                return stored
        pinned = source if incomplete is None else as_pinned(source, incomplete)
        if pin is None and incomplete is not None:
            self._check_allowed(source, pinned, path)
        fetched = self._fetcher.fetch(pinned)
        if isinstance(fetched, CommodoreError):
            if pin is not None:
                fetched.add_note(f"it is locked in {self._state.settings.name}")
            return fetched
        if sha256 and fetched.sha256 != sha256:
            return self._changed(source, sha256, fetched.sha256)
        self._store.note(
            fetched.source,
            *self._key(source, fetched.sha256),
            sha256=fetched.sha256,
            **fetched.about,
        )
        if pin is not None:
            return self._verified(source, path, pin) or fetched
        self._record(source, path, fetched)
        return fetched

    def _key(self, source: Source, sha256: str) -> tuple[str, ...]:
        return "locked", *path_of(source), sha256

    def _verified(self, source: Source, path: Path, pin: Block) -> CommodoreError | None:
        self._state.keep(path)
        if not isinstance(source, Repository):
            return None
        tree = self._tree(source, pin.text("commit"))
        if tree and tree != pin.text("tree"):
            if self._state.settings.frozen:
                what = without_secrets(str(source))
                return self._state.refusal(what, "its pin is incomplete: the tree is another one")
            self._state.record(path, {"tree": tree}, all_of_it=False)
        return None

    def _tree(self, source: Repository, commit: str) -> str:
        """The tree of a commit; empty if an offline run has its files, and not the commit."""
        try:
            return tree_in(self._fetcher.clone_with(source.url, commit), commit)
        except NotAvailableOffline:
            return ""

    def _changed(self, source: Source, locked: str, now: str) -> CommodoreError:
        return CommodoreError(
            f"the content of {without_secrets(str(source))} is not what is locked:"
            f" its SHA-256 is {now}, and {locked} is locked",
            where=self._state.settings.name,
            hint=f"to accept it: {self._state.settings.to_update(path_of(source))}; where a server"
            " packs an archive for each request, use a Git download",
        )

    def _record(self, source: Source, path: Path, stored: Stored) -> None:
        sha256 = f"sha256:{stored.sha256}"
        values: dict[str, object]
        match source:
            case Chart(version=version):
                exact = stored.about.get("version") or version
                values = {"version": exact, "sum": f"{exact} {sha256}"}
            case WebFile():
                values = {"sum": sha256}
            case Artifact(reference):
                tag = reference.partition("@")[0].rpartition("/")[2].partition(":")[2]
                values = {"version": tag or "latest", "digest": stored.about.get("digest", "")}
            case Repository(ref=ref):
                commit = self._commit_of(source)
                values = {
                    "version": ref or "",
                    "commit": commit,
                    "tree": self._tree(source, commit),
                }
        block = self._state.record(path, values)
        self._state.recorded[path] = replace(block, hint=hint_of_download(path))

    def _commit_of(self, source: Repository) -> str:
        """The commit that was found for a version just now."""
        if is_commit(source.ref or ""):
            return source.ref or ""
        noted = self._store.find(*ref_key(source))
        return noted.about.get("commit", "") if noted is not None else ""

    def _check_allowed(self, source: Source, pinned: Source, path: Path) -> None:
        """Refuse a version that the request does not allow, as a bot may propose one."""
        if not (isinstance(source, Chart) and isinstance(pinned, Chart)):
            return
        try:
            allowed = best(source.version, [pinned.version])
        except ValueError:
            allowed = None
        if allowed is None or (is_exact(source.version) and pinned.version != source.version):
            raise CommodoreError(
                f"version {pinned.version} is locked, and not what is requested: {source}",
                where=self._state.settings.name,
                hint=self._state.settings.to_update(path),
            )
