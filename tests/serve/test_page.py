"""The page in headless Chromium: what people open, search, explain, edit and push."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.support.servers import kubernetes

from .daemon import TOKENS, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .conftest import Playground
    from .daemon import Daemon

pytestmark = pytest.mark.e2e

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
AXE = os.environ.get("COMMODORE_AXE", "")
"""The script axe.min.js of axe-core."""
SCREENSHOTS = os.environ.get("COMMODORE_SCREENSHOTS", "")
_SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def daemon(playground: Playground, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that reaches a cluster with some of the objects of the catalog."""
    with kubernetes.serve() as cluster, pytest.MonkeyPatch.context() as patch:
        catalog = playground.work / "clusters" / "c-demo-2" / "catalog" / "manifests"
        for file in sorted(catalog.rglob("*.yaml")):
            for content in yaml.safe_load_all(file.read_text("utf-8")):
                if content and content["kind"] in ("Namespace", "ConfigMap", "Application"):
                    cluster.put(content)
        kubeconfig = tmp_path_factory.mktemp("kube") / "config"
        kubeconfig.write_text(kubernetes.kubeconfig_of(cluster.url))
        patch.setenv("KUBECONFIG", str(kubeconfig))
        with serving(playground.work, playground.facts, home=playground.home) as running:
            yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield found
        found.close()


@pytest.fixture(params=["light", "dark"])
def tab(browser: Any, daemon: Daemon, request: pytest.FixtureRequest) -> Iterator[Any]:  # noqa: ANN401 - has no types
    """A page of somebody who has logged in; nothing goes wrong on it."""
    context = browser.new_context(color_scheme=request.param, base_url=daemon.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    errors: list[str] = []
    page.on(
        "console",
        lambda one: errors.append(f"{one.text} {one.location}") if one.type == "error" else None,
    )
    page.on("pageerror", lambda one: errors.append(str(one)))
    page.on("request", lambda one: errors.extend([one.url] * (not one.url.startswith(daemon.url))))
    page.goto(f"/login?token={TOKENS['ada']}")
    yield page
    context.close()
    refusals = "the server responded with a status of 422"
    assert [one for one in errors if refusals not in one] == []


def test_fleet_is_searched_and_filtered(tab: Any) -> None:  # noqa: ANN401 - as above
    assert tab.locator("tbody tr:visible").count() == 2

    tab.get_by_label("Search").fill("genève")

    assert tab.locator("tbody tr:visible").count() == 1
    assert "1 of 2 clusters" in tab.inner_text("main")
    _examine(tab, "fleet")


def test_value_is_explained_and_its_path_completed(tab: Any) -> None:  # noqa: ANN401 - as above
    tab.goto("/clusters/c-demo-2/values")
    tab.get_by_label("Path").press_sequentially("web_shop.")
    tab.wait_for_selector("#paths option[value='web_shop.replicas']", state="attached")
    tab.get_by_label("Path").fill("web_shop.replicas")
    tab.get_by_role("button", name="Explain").click()

    assert "inventory/classes/t-demo/c-demo-2.yml:" in tab.locator("ol").inner_text()
    _examine(tab, "value")


def test_edit_with_an_error_then_right_is_pushed(tab: Any, daemon: Daemon) -> None:  # noqa: ANN401
    now = daemon.get("/v1/clusters/c-demo-2/values/web_shop.replicas")["value"]
    tab.goto("/clusters/c-demo-2/values?path=web_shop.replicas")
    tab.get_by_label("Value").fill("[1, 2")
    tab.get_by_role("button", name="Save").click()
    assert tab.get_by_role("alert").is_visible()
    _examine(tab, "mistake")
    tab.get_by_label("Value").fill(str(now + 1))
    tab.get_by_role("button", name="Check").click()
    assert "This is what it does" in tab.inner_text("main")
    assert daemon.get("/v1/clusters/c-demo-2/values/web_shop.replicas")["value"] == now
    _examine(tab, "check")

    tab.get_by_role("button", name="Save").click()
    tab.get_by_text("Saved as").wait_for()
    tab.get_by_role("link", name="Overview").click()
    tab.get_by_role("button", name="Compile", exact=True).click()
    tab.locator(".mark.done").wait_for()
    _examine(tab, "job")
    tab.goto("/clusters/c-demo-2/changes")
    tab.locator("summary").first.click()
    _examine(tab, "changes")
    tab.get_by_role("button", name="Push these changes").click()
    tab.locator(".mark.done").wait_for()

    assert daemon.get("/v1/clusters/c-demo-2/values/web_shop.replicas")["value"] == now + 1


def test_plan_is_a_picture_and_live_a_tree(tab: Any) -> None:  # noqa: ANN401 - as above
    tab.goto("/clusters/c-demo-2/plan")
    assert tab.locator("svg rect").count() > 8
    _examine(tab, "plan")

    tab.get_by_role("link", name="Live").click()

    assert tab.locator(".tree li").count() > 3, tab.inner_text("main")
    _examine(tab, "live")


def test_overview_is_usable_on_a_narrow_screen_and_by_keyboard(tab: Any) -> None:  # noqa: ANN401
    tab.set_viewport_size({"width": 360, "height": 700})
    tab.goto("/clusters/c-demo-2")

    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"
    _examine(tab, "narrow")


def test_page_is_readable_without_scripts(browser: Any, daemon: Daemon) -> None:  # noqa: ANN401
    context = browser.new_context(java_script_enabled=False, base_url=daemon.url)
    page = context.new_page()
    page.goto(f"/login?token={TOKENS['ada']}")

    page.get_by_label("Search").fill("c-demo-1")
    page.get_by_role("button", name="Filter").click()

    assert page.locator("tbody tr").count() == 1
    context.close()


def test_scripts_in_values_are_shown_and_not_run(tab: Any, daemon: Daemon) -> None:  # noqa: ANN401
    script = "<script>document.title='owned'</script><img src=x onerror=alert(1)>\x1b[31m"
    path = "/v1/clusters/c-demo-2/values/web_shop.opening_hours"
    assert daemon.call("PUT", path, {"value": script}).status_code == 200

    tab.goto("/clusters/c-demo-2/values?path=web_shop.opening_hours")

    assert "owned" not in tab.title()
    assert "<script>" in tab.inner_text("pre")
    assert "\x1b" not in tab.content()


def _examine(tab: Any, name: str) -> None:  # noqa: ANN401 - as above
    """Take a screenshot, and have axe look for barriers."""
    if SCREENSHOTS:
        scheme = (
            "dark"
            if tab.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
            else "light"
        )
        tab.screenshot(path=str(Path(SCREENSHOTS) / f"{name}-{scheme}.png"), full_page=True)
    if not AXE:
        return
    # The policy of the page forbids scripts of others; that of the browser's console does not.
    tab.evaluate(Path(AXE).read_text("utf-8"))
    found = tab.evaluate("axe.run()")["violations"]
    serious = [one for one in found if one["impact"] in _SERIOUS]
    assert serious == [], json.dumps(serious, indent=1)[:3000]
