"""Pages for a browser: what is in them, and that no text of the data becomes markup."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from commodore_py.cli.output.pages import Column, Row, Section, page, write_page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command_line import CommandLine

HOSTILE = "</script><script>alert(1)</script><!-- \u2028 & \x1b[31m"


def content_of(text: str) -> Any:  # noqa: ANN401 - JSON
    (data,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL
    )
    return json.loads(data)


def sections_in(file: Path) -> dict[str, Any]:
    return {section["id"]: section for section in content_of(file.read_text("utf-8"))["sections"]}


def test_texts_never_become_markup() -> None:
    section = Section("a", HOSTILE, (Column(HOSTILE),), [Row((HOSTILE,), HOSTILE)], HOSTILE)

    made = page(HOSTILE, HOSTILE, [section])

    assert "alert(1)</script>" not in made
    assert "<title>&lt;/script&gt;" in made
    assert made.count("<script") == 2
    found = content_of(made)
    assert found["title"] == found["about"] == found["sections"][0]["rows"][0]["more"] == HOSTILE


def test_a_page_loads_nothing() -> None:
    made = page("a", "b", [])

    assert "default-src 'none'" in made
    assert not re.search(r"\b(?:src|href)\s*=|url\(|@import|https?://", made)


def test_a_difference_as_a_page(commodore: CommandLine, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"

    ran = commodore("-d", str(work), "catalog", "diff", "--html", str(file))

    assert ran.code == 0
    objects = {row["cells"][2] for row in sections_in(file)["changes"]["rows"]}
    assert "Deployment web-shop/web-shop" in objects
    assert str(file) in ran.err


def test_an_explanation_as_a_page(commodore: CommandLine, work: Path, tmp_path: Path) -> None:
    file = tmp_path / "page.html"

    ran = commodore(
        *("-d", str(work), "inventory", "explain", "web-shop", "web_shop.replicas"),
        *("--html", str(file)),
    )

    assert ran.code == 0
    rows = sections_in(file)["value"]["rows"]
    assert [row["cells"][1:4] for row in rows] == [
        ["dependencies/web-shop/class/defaults.yml:7", "set", "1"],
        ["inventory/classes/t-demo/c-demo-1.yml:6", "replace", "2"],
    ]
    assert "t-demo.c-demo-1" in rows[1]["more"]


def test_no_page_of_what_a_line_affects(commodore: CommandLine, work: Path, tmp_path: Path) -> None:
    ran = commodore(
        *("-d", str(work), "inventory", "explain", "--reverse"),
        *("inventory/classes/t-demo/c-demo-1.yml:6", "--html", str(tmp_path / "x.html")),
    )

    assert ran.code == 2
    assert "--html" in ran.err
    assert not (tmp_path / "x.html").exists()


def test_a_new_page_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    write_page(file, "one", "", ())
    assert file.stat().st_mode & 0o777 == 0o600

    file.chmod(0o644)  # as the user decides
    write_page(file, "two", "", ())
    assert file.stat().st_mode & 0o777 == 0o644
