"""Lock files: written in one form, read again, comments kept, merged by Git and by us."""

from __future__ import annotations

import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commodore_py.config import WorkPaths
from commodore_py.dependencies.lock.commits import repository_of
from commodore_py.dependencies.lock.document import KEYS, SINGLE, Block, Comment, Lock, merged
from commodore_py.dependencies.lock.text import read_lock, write_lock
from commodore_py.errors import CommodoreError
from tests.support.builders import commit_to, git, git_succeeds, make_repository

if TYPE_CHECKING:
    from random import Random

LOCK = """\
# Lock of cluster c-demo-1. Made by commodore; your comments are kept.
schema = "lock/v1"

[chart."https://charts.example.com/backup@"]
# renovate: helm backup https://charts.example.com
version = "1.4.2"
sum = "1.4.2 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

[cluster]
id = "c-demo-1"

[component."argocd"]
url = "https://git.example.com/component-argocd.git"
requested = "main"
# renovate: git-refs https://git.example.com/component-argocd.git
version = "main"
commit = "306ca4d2b0f4c1e8a7695e3d2c1b0a9f8e7d6c5b"
tree = "0cc175b9c0f1b6a831c399e269772661eeff0011"

[facts]
distribution = "k3s"
networks = { json = '["10.0.0.0/8"]' }
"""

IDENTITY = ("-c", "user.name=me", "-c", "user.email=me@example.com")

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12)
_PLAIN_JSON = st.text(st.characters(codec="utf-8", min_codepoint=32, exclude_characters="'\x7f"))
_VALUES = st.one_of(_TEXTS, st.booleans(), st.builds(lambda one: {"json": one}, _PLAIN_JSON))


def _block(kind: str) -> st.SearchStrategy[Block]:
    if kind in ("facts", "dynamic_facts", "unknown"):
        return st.builds(Block, st.dictionaries(_TEXTS, _VALUES, max_size=3))
    keys = [key for key in KEYS[kind] if key not in {"pinned", "missing"}]
    return st.builds(Block, st.dictionaries(st.sampled_from(keys), _TEXTS.filter(bool), max_size=4))


@st.composite
def locks(draw: st.DrawFn) -> Lock:
    """Locks with blocks of all kinds."""
    blocks: dict[tuple[str, ...], Block] = {}
    for kind in draw(st.lists(st.sampled_from(sorted(KEYS)), max_size=5)):
        path = (kind,) if kind in SINGLE else (kind, draw(_TEXTS))
        blocks[path] = draw(_block(kind))
    return Lock(blocks)


@given(locks(), st.randoms())
@pytest.mark.long
def test_equal_locks_are_written_identically(lock: Lock, random: Random) -> None:
    text = write_lock(lock)
    assert tomllib.loads(text)["schema"] == "lock/v1"

    again = read_lock(text, "it")
    # A key with other spaces is not our form: the general reader reads it.
    other = read_lock(text.replace('schema = "', 'schema   =  "'), "it")

    assert again.content() == other.content() == lock.content()
    shuffled = list(again.blocks.items())
    random.shuffle(shuffled)
    turned = {
        path: replace(block, values=dict(reversed(list(block.values.items()))))
        for path, block in shuffled
    }
    assert write_lock(Lock(turned)) == text


def _with(lock: Lock, path: tuple[str, ...], **values: str) -> Lock:
    return replace(lock, blocks={**lock.blocks, path: lock.blocks[path].with_values(**values)})


def test_changes_of_different_blocks_are_merged() -> None:
    base = read_lock(LOCK, "it")
    chart, component = ("chart", "https://charts.example.com/backup@"), ("component", "argocd")
    ours, theirs = _with(base, chart, version="2"), _with(base, component, commit="3" * 40)

    found = merged(base, ours, theirs, "it")

    assert found.blocks[chart].text("version") == "2"
    assert found.blocks[component].text("commit") == "3" * 40


def test_different_changes_of_one_block_are_refused() -> None:
    base = read_lock(LOCK, "it")
    path = ("component", "argocd")

    with pytest.raises(CommodoreError, match="component argocd was changed"):
        merged(base, _with(base, path, commit="1" * 40), _with(base, path, commit="2" * 40), "it")
    same = _with(base, path, commit="1" * 40)
    assert merged(base, same, same, "it").content() == same.content()


@pytest.mark.slow
@settings(deadline=None, max_examples=5)
@given(st.data())
def test_git_merges_updates_of_different_inputs(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, unique=True))
    blocks: dict[tuple[str, ...], Block] = {
        ("component", name): Block({"url": "u", "requested": "m", "commit": "1", "tree": "2"})
        for name in names
    }
    base = Lock(blocks)
    mine, yours = names[0], names[1]
    first = _with(base, ("component", mine), commit="3", tree="4")
    second = _with(base, ("component", yours), commit="5", tree="6")
    folder = tmp_path_factory.mktemp("merge")
    remote = make_repository(folder / "r.git", {"it.lock": write_lock(base)})
    git(remote, "branch", "other")
    commit_to(remote, {"it.lock": write_lock(first)})
    commit_to(remote, {"it.lock": write_lock(second)}, branch="other")
    git(folder, "clone", "--quiet", str(remote), "it")

    assert git_succeeds(folder / "it", *IDENTITY, "merge", "--no-edit", "origin/other")

    found = read_lock(Path(folder, "it/it.lock").read_text("utf-8"), "it")
    assert found.content() == merged(base, first, second, "it").content()


@pytest.mark.long
def test_ten_thousand_inputs_are_read_quickly() -> None:
    block = read_lock(LOCK, "it").blocks["component", "argocd"]
    text = write_lock(Lock({("component", f"c-{number}"): block for number in range(10_000)}))

    began = time.process_time()
    lock = read_lock(text, "it")

    assert len(lock.blocks) == 10_000
    assert time.process_time() - began < 20  # half a second is meant; machines differ


def test_changed_value_keeps_comments() -> None:
    block = Block({"a": "1"}, {"a": Comment(("# above",), "# beside")})

    assert block.with_values(a="2").comments == block.comments


def test_repository_of_tenant_is_that_of_the_locked_cluster(tmp_path: Path) -> None:
    paths, url = WorkPaths(tmp_path), "https://git.example.com/acme/tenant.git"
    for name in ("t-other", "acme"):
        (paths.classes / name / ".git").mkdir(parents=True)
    blocks = {("cluster",): Block({"tenant": "acme"}), ("config", "tenant"): Block({"url": url})}

    repository = repository_of(Lock(blocks), ("config", "tenant"), paths)

    assert repository == (url, paths.classes / "acme" / ".git")
