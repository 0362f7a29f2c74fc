"""Records of what work reads: portable paths, and questions that can be stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from commodore_py.adapters.files.view import Files
from commodore_py.cache.questions.base import View
from commodore_py.cache.questions.inventory import REFERENCE
from commodore_py.cache.recorder import Recorder
from commodore_py.cache.records import pack, unpack
from commodore_py.cache.remote import holds_secret
from commodore_py.cache.results import ResultCache, Work
from commodore_py.cache.roots import Roots
from commodore_py.cache.store import Store
from commodore_py.model.tree import Entry
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

KEY = "c0ffee11" * 8
MANY = 100


class Counted:
    """Work that reads the references to some secrets, and counts how often it is done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.times = 0

    def done(self, **references: str) -> bytes:
        """The result for these references."""
        roots = Roots({})
        files = Files(self.folder / "compiled", self.folder / "catalog", {})
        view = View(files, roots, {}, references=references)

        def make(recorder: Recorder) -> tuple[bytes, bytes]:
            self.times += 1
            for name in references:
                recorder.ask(REFERENCE.question(name), view)
            result = repr([*references.values()]).encode()
            return result, result

        work = Work("web: work", "", KEY, view, make, lambda stored: stored)
        return ResultCache(self.folder / "store", roots).cached(work)


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    return Counted(tmp_path)


def test_results_of_many_clusters_are_kept(counted: Counted) -> None:
    for number in range(MANY):
        counted.done(a=str(number))
    counted.times = 0

    results = [counted.done(a=str(number)) for number in range(MANY)]

    assert results == [f"['{number}']".encode() for number in range(MANY)]
    assert counted.times == 0


def test_order_of_questions_does_not_matter(counted: Counted) -> None:
    counted.done(a="1", b="2")
    counted.done(b="3", a="1")

    assert counted.done(a="1", b="2") == b"['1', '2']"
    assert counted.times == 2


@pytest.mark.long
def test_latest_lists_of_questions_are_kept(counted: Counted) -> None:
    for number in range(MANY):
        counted.done(**{f"a{number}": "1"})
    counted.times = 0

    assert counted.done(a99="1") == counted.done(a50="1") == b"['1']"
    assert counted.times == 0
    counted.done(a0="1")
    assert counted.times == 1


@pytest.mark.parametrize("content", ['[{"telepathy about:this": "1"}]', '[7, {"a": 1}]', "7"])
def test_records_of_other_versions_are_ignored(counted: Counted, content: str) -> None:
    Store(counted.folder / "store").set_record(KEY, content.encode())

    assert counted.done(a="1") == b"['1']"
    assert counted.done(a="1") == b"['1']"
    assert counted.times == 1


def test_record_is_stored_as_json(counted: Counted) -> None:
    counted.done(a="1")

    content = Store(counted.folder / "store").record(KEY)

    assert content is not None
    assert json.loads(content) == [{"reference a": "1"}]


def test_answer_changing_during_work_unseals_record() -> None:
    recorder = Recorder(Roots({}))

    recorder.note(REFERENCE.question("a"), "1")
    recorder.note(REFERENCE.question("a"), "2")

    assert recorder.unsealed


def test_paths_belong_to_the_innermost_root(tmp_path: Path) -> None:
    roots = Roots({"work": tmp_path, "vendor": tmp_path / "vendor"})

    texts = [roots.portable(str(tmp_path / name)) for name in ("vendor/a", "vendors/a", "..b")]

    assert texts == ["vendor:a", "work:vendors/a", "work:..b"]
    assert [roots.absolute(text) for text in texts] == [
        str(tmp_path / name) for name in ("vendor/a", "vendors/a", "..b")
    ]
    assert roots.portable("/elsewhere") == ":/elsewhere"
    assert roots.absolute(":/elsewhere") == "/elsewhere"


@each(
    "content",
    (
        "kind: Secret",
        "'kind' : 'Secret'",
        '{"kind":"Secret"}',
        "kind: >-\n  Secret",
        "kind: !!str Secret",
        "kind: &k Secret",
        "? kind\n: Secret",
        "a: &k Secret\nb: {name: x, labels: {}}\n" + "c: 1\n" * 20 + "kind: *k",
        "kind: # why\n" + "  #\n" * 50 + "  Secret",
        '{"kind":"\\u0053ecret"}',
        '"k\\x69nd": "\\U00000053ecret"',
        'kind: "Sec\\\nret"',
        '{"a":"{\\"kind\\":\\"Secret\\"}"}',
        '{"a":"{\\"kind\\":\\"\\\\u0053ecret\\"}"}',
        "apiVersion: v1\nkind: SecretList",
        "kind: Secret".encode("utf-16-le").decode("latin-1"),
    ),
)
def test_object_of_kind_secret_is_a_secret(content: str) -> None:
    assert holds_secret(content.encode())


@each(
    "content",
    (
        "kind: ExternalSecret",
        "kind: SealedSecret",
        "kind: SecretStore",
        "kind: Deployment\nenv:\n- secretKeyRef: {name: x}",
        "kind: ConfigMap\ndata:\n  text: " + "word " * 50 + "Secret",
    ),
)
def test_other_object_is_no_secret(content: str) -> None:
    assert not holds_secret(content.encode())


def test_files_are_the_same_after_packing() -> None:
    files = {"a/b\n\udcff": Entry(b"\x00\n1"), "/c": Entry(b"", executable=True)}

    assert unpack(pack(files, ["empty"])) == (files, ["empty"])
