"""The door of settings: the settings file and `.env`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from commodore_py.cli.root import commodore
from commodore_py.cli.settings import dotenv_file, user_file
from tests.fuzz.campaign import survives
from tests.fuzz.shapes import spoilt

SETTINGS = [
    b'working-dir = "/srv"\ncache-size = "500M"\nquiet = true\nrequest-timeout = 5\n',
    b'[catalog.compile]\napi-url = "https://example.com"\nprocesses = 4\npush-url = ["same"]\n',
    b"[component]\nnew.copyright = 'x'\n\"a b\".c = {d = 1, e = 2020-01-01T00:00:00Z}\n[[x]]\n",
    b"a = " + b"[" * 500,
    b"processes = " + b"9" * 5000 + b"\n",
    b"quiet = 0x" + b"f" * 9000 + b"\n",
]
VARIABLES = [
    b"A=1\nexport B='two # x'\nC=${A}-${HOME:-x}\n# D=1\nE\n\nF = \"a\\nb\"\n",
    b"A\0B=1\nA=b\0c\n=x\n'a b'=c\nPATH_X=$(id)\nG=\"unclosed\n",
    b"X=" + b"x" * 200_000,
    b"X=${X}" * 1000 + b"\n",
    b"\xef\xbb\xbfA=1\r\nB=2\r\n",
    b"''=1\n" + b'""=2\n',
]


def feed(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name, "commodore", "config.toml")
        file.parent.mkdir()
        file.write_bytes(content)
        os.environ["XDG_CONFIG_HOME"] = name
        context = click.Context(commodore)
        found = user_file.read(context, commodore)
        assert found.path == file


def feed_variables(content: bytes) -> None:
    before = dict(os.environ)
    with tempfile.TemporaryDirectory() as name:
        Path(name, ".env").write_bytes(content)
        try:
            dotenv_file.load(Path(name))
        finally:
            for variable in os.environ.keys() - before.keys():
                del os.environ[variable]
        assert os.environ == before, "a variable that was set was changed"


def test_settings() -> None:
    deep = b"a = " + b"[" * 100_000
    survives(feed, spoilt(SETTINGS), *SETTINGS, deep, b"[" * 100_000)


def test_settings_as_variables() -> None:
    survives(feed_variables, spoilt(VARIABLES), *VARIABLES, b"=" * 100_000, b"'" * 100_000)
