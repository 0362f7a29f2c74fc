"""The line of every setting, however the file is written."""

from __future__ import annotations

import click
import pytest

from commodore_py.cli.root import commodore
from commodore_py.cli.settings.user_file import read


@pytest.mark.parametrize(
    ("text", "place", "line"),
    [
        ("quiet = true", ("quiet",), 1),
        ("\n# note\n  quiet=true", ("quiet",), 3),
        ("[catalog.compile]\npush = true", ("catalog", "compile", "push"), 2),
        ("[ catalog . compile ]\npush = true", ("catalog", "compile", "push"), 2),
        ("catalog.compile.push = true", ("catalog", "compile", "push"), 1),
        ("[catalog]\ncompile.push = true", ("catalog", "compile", "push"), 2),
        ('["fetch-token"]\n"api-url" = "x"', ("fetch-token", "api_url"), 2),
        (
            '[catalog.compile]\ndynamic-fact = [\n  "push=1",\n]\npush = true',
            ("catalog", "compile", "push"),
            5,
        ),
    ],
)
def test_the_line_of_a_setting(
    text: str,
    place: tuple[str, ...],
    line: int,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path_factory.mktemp("xdg")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    (folder / "commodore").mkdir()
    (folder / "commodore" / "config.toml").write_text(text)

    found = read(click.Context(commodore), commodore)

    assert found.lines[place] == line


def test_the_defaults_are_named_as_click_names_them(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("xdg")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    (folder / "commodore").mkdir()
    (folder / "commodore" / "config.toml").write_text(
        'request-timeout = 9\n[component.new]\ncopyright = "Ann"\n'
    )

    found = read(click.Context(commodore), commodore)

    assert found.defaults == {
        "request_timeout": 9,
        "component": {"new": {"copyright_holder": "Ann"}},
    }
