"""Whatever is done in whatever order: a store returns what was stored last, or nothing."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from commodore_py.cache.digests import digest
from commodore_py.cache.store import Store
from tests.support.damage import damage, files_of
from tests.support.stores import damaged_in

KEYS = [f"{number:02x}" * 32 for number in range(3)]
CONTENTS = st.sampled_from([b"", b"x", b"kind: Secret\n", b"large" * 100_000])


class Life(RuleBasedStateMachine):
    """A store among processes that use it, and accidents."""

    blobs = Bundle("blobs")

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="store-"))
        self.store = Store(self.root / "store")
        self.notes: dict[str, bytes] = {}
        self.harmed = False

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @rule(target=blobs, content=CONTENTS)
    def keep(self, content: bytes) -> tuple[str, bytes]:
        name = self.store.add_blob(content)
        assert name == digest(content)
        return name, content

    @rule(blob=blobs)
    def read(self, blob: tuple[str, bytes]) -> None:
        digest, content = blob
        found = self.store.blob(digest)
        assert found == content or (found is None and self.harmed)

    @rule(blob=consumes(blobs))
    def repair(self, blob: tuple[str, bytes]) -> None:
        digest, content = blob
        if self.store.blob(digest) is None:
            self.store.add_blob(content)
        assert self.store.blob(digest) == content

    @rule(key=st.sampled_from(KEYS), content=CONTENTS)
    def note(self, key: str, content: bytes) -> None:
        self.store.set_record(key, content)
        self.notes[key] = content
        assert self.store.record(key) == content

    @rule(key=st.sampled_from(KEYS))
    def look_up(self, key: str) -> None:
        found = self.store.record(key)
        assert found == self.notes.get(key) or (found is None and self.harmed)

    @rule()
    def begin_another_process(self) -> None:
        self.store = Store(self.root / "store")

    @rule(seed=st.integers(0, 2**32))
    def damage(self, seed: int) -> None:
        if files_of(self.store.folder):
            damage(self.store.folder, random.Random(seed))  # noqa: S311 - no secret
            self.harmed = True

    @rule(limit=st.sampled_from([0, 8192, 1 << 20]))
    def prune(self, limit: int) -> None:
        self.store.prune(limit)
        assert self.store.usage().bytes <= limit
        self.harmed = True

    @rule()
    def remove(self) -> None:
        shutil.rmtree(self.store.folder, ignore_errors=True)
        self.harmed = True

    @rule()
    def verify(self) -> None:
        damaged_in(self.store)
        assert damaged_in(self.store) == ()

    @invariant()
    def nothing_is_left_aside(self) -> None:
        names = [name for _, _, names in os.walk(self.root) for name in names]
        assert not [name for name in names if name.endswith(".new")]


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
