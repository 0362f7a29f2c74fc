"""Results that machines share: records are signed by their writers, results named by digests."""

from __future__ import annotations

import json
import logging
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from commodore_py.adapters.files.shared import SharedFiles, Unavailable
from commodore_py.adapters.masking import without_secrets
from commodore_py.adapters.workers import in_parallel
from commodore_py.errors import CommodoreError

from .digests import UNKNOWN, digest
from .records import NewResult, Record, name_of, parsed
from .signed import Signed, private_key, public_key
from .trust import log_once

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from .records import Answers
    from .signed import RemoteCache
    from .store import Store

_CONNECTIONS = 8
_PAUSE = 600.0
_given_up: dict[str, float] = {}
"""When addresses failed in this process: every entry would wait for them again."""
# Characters that JSON and YAML may write as their numbers, in strings of strings, too.
_ESCAPED = re.compile(rb"\\{1,8}(?:x|u00|U000000)([0-7][0-9a-fA-F])")
_NEAR = re.compile(rb"(?is:kind.{0,80}?)(?<![A-Za-z])Secret(?:List)?\b")
# The value may be elsewhere, or further away.
_ALIAS = re.compile(rb"(?i:kind)[\"']?\s*:\s*[*#]")


def holds_secret(content: bytes) -> bool:
    """Return whether a result may hold an object of kind Secret: those are never shared.

    The notation is not known, so that a text about a kind and a Secret counts as well.
    """
    plain = _ESCAPED.sub(lambda escaped: bytes.fromhex(escaped[1].decode()), content)
    plain = plain.replace(b"\\\n", b"").replace(b"\0", b"")  # UTF-16 has zeros
    if b"Secret" not in plain:
        return False
    return _NEAR.search(plain) is not None or _ALIAS.search(plain) is not None


@dataclass(slots=True)
class RemoteResults:
    """The shared cache in one run. After a failure, a process does not use it for a while."""

    settings: RemoteCache
    _files: SharedFiles = field(init=False)
    _signed: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    _key: Ed25519PrivateKey | None = None

    def __post_init__(self) -> None:
        self._files = SharedFiles(self.settings.url)
        if self.settings.signing_key is None or self._is_away:
            return
        try:
            self._key = private_key(self.settings.signing_key)
        except CommodoreError as error:
            log_once(logging.WARNING, "results are not shared", error)

    def asked(self, key: str) -> list[Answers]:
        """The lists of questions; answers of other machines are not shared."""
        lists = map(parsed, self._contents(key))
        return [
            dict.fromkeys(questions, UNKNOWN)
            for questions in lists
            if isinstance(questions, list) and all(isinstance(each, str) for each in questions)
        ]

    def records(self, name: str) -> tuple[Record, ...]:
        """The records of a name; they differ if the work has other results each time."""
        records = map(Record.parse, self._contents(name))
        return tuple(record for record in records if record is not None)

    def blob(self, name: str) -> bytes | None:
        """The result of a digest; one that was changed is refused."""
        content = self._read(_blob_path(name))
        if content is None or digest(content) == name:
            return content
        self._warn("a result in the shared cache is refused: its digest is wrong")
        return None

    def send(self, store: Store, made: Iterable[NewResult]) -> None:
        """Share results that were made on this machine, except for those with secrets."""
        key = self._key
        if key is None or self._is_away:
            return
        made = tuple(made)
        # The results come first: a record never names what is not there.
        sent = in_parallel(lambda new: self._send_result(store, new), made, at_most=_CONNECTIONS)
        contents: dict[str, set[bytes]] = defaultdict(set)
        for new, is_sent in zip(made, sent, strict=True):
            if is_sent:
                contents[name_of(new.key, new.answers)].add(new.record.packed())
                contents[new.key].add(json.dumps(sorted(new.answers)).encode())

        def add(name: str) -> None:
            self._add(key, name, contents[name])

        in_parallel(add, contents, at_most=_CONNECTIONS)

    @property
    def _is_away(self) -> bool:
        failed = _given_up.get(self.settings.url)
        return failed is not None and time.monotonic() - failed < _PAUSE

    def _send_result(self, store: Store, new: NewResult) -> bool:
        result = store.blob(new.record.result)
        if result is None or holds_secret(result) or holds_secret(new.record.packed()):
            return False
        return self._write(_blob_path(new.record.result), result, once=True)

    def _contents(self, name: str) -> tuple[bytes, ...]:
        """Records that trusted writers have signed under a name."""
        if name not in self._signed:
            self._signed[name] = tuple(signed.content for signed in self._trusted(name))
        return self._signed[name]

    def _trusted(self, name: str) -> Iterator[Signed]:
        """The content stored under a name by this machine and by trusted writers."""
        own_key = public_key(self._key) if self._key else ""
        for signed in Signed.all_in(self._read(_record_path(name)) or b"[]"):
            if signed.writer not in (own_key, *self.settings.trusted):
                continue
            if signed.is_valid(name):
                yield signed
            else:
                self._warn("a record in the shared cache is refused: its signature is wrong")

    def _add(self, key: Ed25519PrivateKey, name: str, contents: Collection[bytes]) -> None:
        """Add contents to those of a name.

        A machine that does so at the same time may lose them; then they are missed, and made again.
        """
        others = (other for other in self._trusted(name) if other.content not in contents)
        signed = (Signed.by(key, name, content) for content in contents)
        self._write(_record_path(name), Signed.packed((*signed, *others)))

    def _read(self, path: str) -> bytes | None:
        if self._is_away:
            return None
        try:
            return self._files.read(path)
        except Unavailable as error:
            self._give_up(error)
        return None

    def _write(self, path: str, content: bytes, *, once: bool = False) -> bool:
        if self._is_away:
            return False
        try:
            if not once or self._files.size(path) != len(content):
                self._files.write(path, content)
        except Unavailable as error:
            self._give_up(error)
            return False
        return True

    def _give_up(self, error: CommodoreError) -> None:
        _given_up[self.settings.url] = time.monotonic()
        log_once(logging.WARNING, "the shared cache is not used", error)

    def _warn(self, what: str) -> None:
        hint = "find out who can write to it; only results of trusted writers are used"
        where = without_secrets(self.settings.url)
        why = CommodoreError("it is compiled again", where=where, hint=hint)
        log_once(logging.WARNING, what, why)


def _record_path(key: str) -> str:
    return f"records/{key[:2]}/{key[2:]}"


def _blob_path(name: str) -> str:
    return f"blobs/{name[:2]}/{name[2:]}"
