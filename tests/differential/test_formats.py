"""Files of compiled values: the same names and bytes as Kapitan's own input types write."""

from __future__ import annotations

import copy
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kapitan import cached
from kapitan.errors import KapitanError
from kapitan.inputs.jsonnet import Jsonnet
from kapitan.inventory.model.input_types import KapitanInputTypeJsonnetConfig
from kapitan.refs.base import RefController

from commodore_py.compiler.formats import Format, style_of
from commodore_py.compiler.tags import Tags
from commodore_py.errors import CommodoreError
from commodore_py.model.secrets import ReferenceFile, SecretRef
from commodore_py.refs.backends import vaultkv
from tests.support.tables import each

if TYPE_CHECKING:
    from pathlib import Path

_PATHS = ("a/b/c", "t-x/c-a/foo/password", "x.y/z-1=@")
_TAGS = (
    "?{vaultkv:a/b/c}",
    "p?{vaultkv:a/b/c}s?{vaultkv:t-x/c-a/foo/password}",
    "?{vaultkv:a/b/c:deadbeef}",
    "?{vaultkv:a/b/c@x.y}",
    "?{vaultkv:a/b/c||random:str}",
    "?{vaultkv:a/b/c||random:str|base64}",
    "?{vaultkv:a/b/c@x||random:str}",
    "?{vaultkv:no/ref}",
    "?{gkms:a/b/c}",
    "?{vaultkv:a/b/c",
    "?{vaultkv: a/b/c }",
    "?{vaultkv:a/b/c:d:e:f}",
    "?{vaultkv:a/b/c:d:e}",
)
_TEXTS = st.one_of(
    st.sampled_from(["", "x", "yes", "a\nb\n", " lead\n", "1e3", "0.1", "ü", "# c", "a: b"]),
    st.sampled_from(_TAGS[:2]),
    st.text(max_size=8),
)
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False), _TEXTS
)
_VALUES = st.recursive(
    _SCALARS,
    lambda below: st.one_of(
        st.lists(below, max_size=3), st.dictionaries(st.text(max_size=5), below, max_size=3)
    ),
    max_leaves=8,
)
_NAMES = st.sampled_from(
    [
        "a",
        "a.b",
        "sub/x",
        "a.json",
        "b.yml",
        "c.toml",
        "d.yaml",
        "e.txt",
        "f.YAML",
        ".json",
        "s/.yml",
    ]
)


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[ReferenceFile, ...]]:
    folder = tmp_path_factory.mktemp("refs")
    files = tuple(
        ReferenceFile(
            path, vaultkv.render(SecretRef("vaultkv", path, ()), {"mount": "m"}), "vaultkv"
        )
        for path in _PATHS
    )
    for file in files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_bytes(file.content)
    return folder, files


def _kapitans(  # noqa: PLR0917 - everything that matters to a file
    references: Path, output: Path, config: dict[str, Any], name: str, value: object, style: object
) -> tuple[str, bytes] | None:
    parameters = {"multiline_string_style": style} if style else {}
    cached.inv = {"t": {"parameters": parameters}}
    cached.args = arguments = Namespace(
        reveal=False, indent=2, multiline_string_style="literal", yaml_dump_null_as_empty=False
    )
    model = KapitanInputTypeJsonnetConfig(input_paths=["x"], output_path=".", **config)
    writer = Jsonnet(str(output), [], RefController(str(references)), "t", arguments)
    try:
        writer.to_file(model, str(output / name), copy.deepcopy(value))
    except (KapitanError, TypeError, AttributeError, ValueError, IndexError):
        return None
    found = next(path for path in output.rglob("*") if path.is_file())
    return str(found.relative_to(output)), found.read_bytes()


def _ours(
    files: tuple[ReferenceFile, ...], config: dict[str, Any], name: str, value: object, style: str
) -> tuple[str, bytes] | None:
    parameters = {"multiline_string_style": style} if style else {}
    how = Format(config["output_type"], config["prune"], style_of(parameters), Tags.of(files))
    try:
        return how.file(name, copy.deepcopy(value))
    except CommodoreError:
        return None


@given(
    output_type=st.sampled_from(["yaml", "yml", "json", "plain", "toml", "auto"]),
    prune=st.booleans(),
    style=st.sampled_from(["", "literal", "folded", "double-quotes", "other"]),
    name=_NAMES,
    value=st.one_of(_VALUES, _VALUES, st.sampled_from(_TAGS)),
)
def test_written_value_matches_kapitan(
    references: tuple[Path, tuple[ReferenceFile, ...]],
    tmp_path_factory: pytest.TempPathFactory,
    *,
    output_type: str,
    prune: bool,
    style: str,
    name: str,
    value: object,
) -> None:
    folder, files = references
    config = {"output_type": output_type, "prune": prune}
    theirs = _kapitans(folder, tmp_path_factory.mktemp("out"), config, name, value, style)
    assert _ours(files, config, name, value, style) == theirs


@each("tag", _TAGS)
def test_completed_reference_tag_matches_kapitan(
    tag: str, references: tuple[Path, tuple[ReferenceFile, ...]], tmp_path: Path
) -> None:
    folder, files = references
    config = {"output_type": "yaml", "prune": False}
    value = {"a": [tag], tag: 1}
    theirs = _kapitans(folder, tmp_path, config, "x", value, "")
    assert _ours(files, config, "x", value, "") == theirs
