"""Pages in a real browser: searched, unfolded, printed, with 5,000 objects, without a request."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from commodore_py.cli.output.pages import Column, Row, Section, page

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
OBJECTS = 5_000
COLUMNS = (Column("Kind"), Column("Name"), Column("KiB", number=True))

pytestmark = pytest.mark.skipif(BROWSER is None, reason="install chromium (Debian: chromium)")

# What a user does, one step after the other; each gives a value.
DRIVER = """
<script>
(async () => {
  const pause = () => new Promise((done) => setTimeout(done, 150));
  const rows = () => document.querySelectorAll("section:not([hidden]) tr.row").length;
  const press = (key, on = document.activeElement) =>
    on.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  const search = document.getElementById("search"), found = {};
  await pause();
  found.first = document.querySelector("[role=tab][aria-selected=true]").textContent;
  press("2", document.body);
  await pause();
  found.second = location.hash;
  found.drawn = rows();
  document.querySelector("[role=tab][aria-selected=true]").focus();
  press("ArrowDown");
  found.below = document.activeElement === document.querySelector("section:not([hidden]) tr.row");
  press("/", document.body);
  found.focused = document.activeElement === search;
  search.value = "name-4321";
  search.dispatchEvent(new Event("input"));
  await pause();
  const shown = "section:not([hidden])", one = (name) => document.querySelector(`${shown} ${name}`);
  found.matching = rows();
  found.marked = one("mark").textContent;
  search.blur();
  press("ArrowDown", document.body);
  press("Enter");
  found.unfolded = document.querySelector("tr.more pre").textContent;
  press("Enter");
  found.folded = document.querySelectorAll("tr.more").length;
  press("Escape");
  one("th:nth-child(3) button").click();
  one("th:nth-child(3) button").click();
  await pause();
  found.largest = one("tr.row td:nth-child(3)").textContent;
  found.injected = document.querySelectorAll("b, img, iframe").length;
  dispatchEvent(new Event("beforeprint"));
  found.printed = rows();
  found.requests = performance.getEntriesByType("resource").map((one) => one.name);
  const result = document.createElement("output");
  result.id = "result";
  result.textContent = JSON.stringify(found);
  document.body.append(result);
})();
</script>
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a user of the page sees, and what the browser noted of the network."""
    folder: Path = tmp_path_factory.mktemp("page")
    rows = [
        Row(
            ("ConfigMap", f"name-{number} <b>x</b>", f"{number / 10:.1f}"),
            f"kind: ConfigMap\nnumber: {number}\n<img src=x>",
            (0, 0, number),
        )
        for number in range(OBJECTS)
    ]
    sections = [
        Section("overview", "Overview", (Column("What"),), [Row(("a",))], counted=False),
        Section("objects", "Objects", COLUMNS, rows),
    ]
    file = folder / "page.html"
    made = page("Catalog", "about", sections)
    file.write_text(made.replace("</body>", f"{DRIVER}</body>"), "utf-8")
    assert BROWSER is not None
    done = subprocess.run(
        [
            *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update"),
            *("--disable-sync", f"--user-data-dir={folder / 'profile'}"),
            *("--virtual-time-budget=20000", "--dump-dom", file.as_uri()),
        ],
        capture_output=True,
        check=True,
        text=True,
        timeout=180,
    )
    (result,) = re.findall(r'<output id="result">(.*?)</output>', done.stdout, re.DOTALL)
    content: dict[str, Any] = json.loads(
        result.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    )
    return content


def test_keys_move_between_sections(found: dict[str, Any]) -> None:
    assert found["first"].startswith("Overview")
    assert found["second"] == "#objects"
    assert found["below"]
    assert found["focused"]


def test_only_what_is_seen_is_drawn(found: dict[str, Any]) -> None:
    assert 0 < found["drawn"] < OBJECTS / 2


def test_search_finds_and_marks(found: dict[str, Any]) -> None:
    assert found["matching"] == 1
    assert found["marked"] == "name-4321"


def test_a_row_unfolds_and_folds(found: dict[str, Any]) -> None:
    assert "number: 4321" in found["unfolded"]
    assert found["folded"] == 0


def test_numbers_are_sorted_by_value(found: dict[str, Any]) -> None:
    assert found["largest"] == "499.9"


def test_a_print_has_all_rows(found: dict[str, Any]) -> None:
    assert found["printed"] == OBJECTS


def test_texts_never_become_markup_and_nothing_is_requested(found: dict[str, Any]) -> None:
    assert found["injected"] == 0
    assert found["requests"] == []
