"""The page for people: fleet, clusters, changes, values, plan, live tree and jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from commodore_py.cli.output.pages import rendered
from commodore_py.cli.output.plan.drawing import drawing_of
from commodore_py.errors import CommodoreError
from commodore_py.lib import PAGE

from .access import Access, token_in
from .daemon import Edit, Verb, rules_for
from .failures import Refusal, UnknownCluster, as_data
from .metrics import registry_of, text_of

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from commodore_py.workflows.editing.requests import Level

    from .daemon import Daemon

_STATES = ("all", "up to date", "stale", "failed", "held", "unknown")
_LEVELS: dict[str, Level] = {"cluster": "cluster", "tenant": "tenant", "global": "global"}
_ASSETS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}


def routes(daemon: Daemon, access: Access) -> APIRouter:  # noqa: C901, PLR0915 - a list of routes
    """All routes of the page."""
    page = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
    clusters, jobs, config = daemon.clusters, daemon.jobs, daemon.settings.config

    @page.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in _ASSETS:
            raise _no_such("file")
        headers = {"cache-control": "max-age=3600"}
        return FileResponse(PAGE / name, media_type=_ASSETS[name], headers=headers)

    @page.get("/login")
    async def show_login(request: Request) -> Response:
        token = token_in(request.url.query)
        return _begun(request, token) if token else _page("login.html", title="Log in")

    @page.post("/login")
    async def login(request: Request) -> Response:
        return _begun(request, (await _form(request)).get("token", ""))

    def _begun(request: Request, token: str) -> Response:
        name = access.name_of(token)
        if not name:
            access.failed(request.client.host if request.client else "")
            text = "There is no such token."
            return _page("login.html", 401, title="Log in", failure=text)
        return RedirectResponse("/", 303, {"set-cookie": access.session(name)})

    @page.get("/")
    async def fleet(q: str = "", state: str = "all") -> Response:
        found = [{**one, "state": _state_of(one)} for one in await clusters.all()]
        shown = [
            one
            for one in found
            if q.lower() in f"{one['id']} {one['display_name']} {one['tenant']}".lower()
            and state in ("all", one["state"])
        ]
        return _page(
            "fleet.html",
            title="Clusters",
            clusters=shown,
            total=len(found),
            q=q,
            state=state,
            states=_STATES,
            listing_problems={one["problem"] for one in found if one["problem"]},
        )

    @page.get("/clusters/{cluster_id}")
    async def overview(cluster_id: str) -> Response:
        return await _overview(cluster_id)

    async def _overview(cluster_id: str, failure: dict[str, Any] | None = None) -> Response:
        about = await clusters.get(cluster_id)
        return _tab(
            "overview.html",
            "Overview",
            cluster_id,
            failure,
            cluster=about,
            state=_state_of(about),
        )

    @page.post("/clusters/{cluster_id}")
    async def act(cluster_id: str, request: Request) -> Response:
        form, by = await _form(request), str(request.state.caller)
        try:
            if instance := form.get("enable") or form.get("disable"):
                verb: Verb = "enable" if "enable" in form else "disable"
                edit = Edit(verb, "applications", item=instance)
                await daemon.edit(cluster_id, edit, rules_for(by, form.get("base", "")))
                return RedirectResponse(f"/clusters/{quote(cluster_id)}", 303)
            if form.get("do") == "push":
                job = await daemon.push(cluster_id, by, seen=form.get("seen", ""))
            else:
                job = await daemon.compile(cluster_id, by)
        except UnknownCluster:
            raise
        except CommodoreError as error:
            return await _overview(cluster_id, as_data(error))
        return RedirectResponse(f"/jobs/{job.id}", 303)

    async def _read(cluster_id: str, work: str, *more: Any) -> tuple[Any, dict[str, Any] | None]:
        """What a tab shows, or why it does not."""
        await clusters.listed(cluster_id)
        seconds = 300.0 if work == "work.live_tree" else 60.0
        return await _tried(jobs.read(work, config, cluster_id, *more, seconds=seconds))

    @page.get("/clusters/{cluster_id}/changes")
    async def changes(cluster_id: str) -> Response:
        diff, failure = await _read(cluster_id, "work.changes")
        return _tab("changes.html", "Changes", cluster_id, failure, diff=diff)

    @page.get("/clusters/{cluster_id}/plan")
    async def plan(cluster_id: str) -> Response:
        found, failure = await _read(cluster_id, "work.plan")
        drawing = drawing_of(found["order"]) if found else None
        return _tab("plan.html", "Plan", cluster_id, failure, plan=found, drawing=drawing)

    @page.get("/clusters/{cluster_id}/live")
    async def live(cluster_id: str) -> Response:
        found, failure = await _read(cluster_id, "work.live_tree", "")
        return _tab("live.html", "Live", cluster_id, failure, live=found)

    async def _values(
        cluster_id: str, path: str, failure: dict[str, Any] | None = None, **more: Any
    ) -> Response:
        found = legal = None
        if path:
            found, why = await _read(cluster_id, "work.value", path, "")
            legal, _ = await _read(cluster_id, "work.options", path)
            failure = failure or why
        else:
            await clusters.listed(cluster_id)
        values = {
            "found": found,
            "path": path,
            "options": (legal or {}).get("options"),
            "base": (found or {}).get("configuration", ""),
            **more,
        }
        return _tab("values.html", "Values", cluster_id, failure, **values)

    @page.get("/clusters/{cluster_id}/values")
    async def values(cluster_id: str, path: str = "") -> Response:
        return await _values(cluster_id, path.strip())

    @page.post("/clusters/{cluster_id}/values")
    async def change(cluster_id: str, request: Request) -> Response:
        form = await _form(request)
        if not {"path", "value", "do"} <= form.keys():
            raise Refusal(422, "the form is not complete")
        path, text = form["path"], form["value"]
        level = _LEVELS.get(form.get("level", ""), "cluster")
        edit = Edit("set", path, text, level=level, is_yaml=True)
        dry_run = form.get("do") != "save"
        rules = rules_for(str(request.state.caller), form.get("base", ""), dry_run=dry_run)
        await clusters.listed(cluster_id)
        done, failure = await _tried(daemon.edit(cluster_id, edit, rules))
        return await _values(cluster_id, path, failure, edit=done, text=text, level=level)

    @page.get("/jobs")
    async def all_jobs() -> Response:
        return _page(
            "jobs.html", title="Jobs", jobs=[one.as_data() for one in reversed(jobs.all.values())]
        )

    @page.get("/jobs/{job_id}")
    async def one_job(job_id: str) -> Response:
        job = jobs.all.get(job_id)
        if job is None:
            raise _no_such("job")
        return _page("jobs.html", title="Job", job=job.as_data(), events=list(job.events))

    registry = registry_of(daemon)

    @page.get("/metrics")
    async def metrics() -> Response:
        return Response(text_of(registry), media_type="text/plain; version=0.0.4")

    @page.get("/api")
    async def api(request: Request) -> Response:
        return _page("api.html", title="API", paths=request.app.openapi()["paths"])

    return page


def failed_page(content: dict[str, Any]) -> Response:
    """An error for people."""
    title = content["message"][:1].upper() + content["message"][1:]
    return _page("failure.html", content["status"], title=title, reasons=content["reasons"])


def _no_such(what: str) -> Refusal:
    return Refusal(404, f"there is no such {what}")


async def _tried(work: Awaitable[Any]) -> tuple[Any, dict[str, Any] | None]:
    try:
        return await work, None
    except CommodoreError as error:
        return None, as_data(error)


async def _form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", errors="replace")
    return {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True).items()}


def _state_of(cluster: dict[str, Any]) -> str:
    job = cluster["last_job"]
    if job and (job["state"] == "failed" or (job["result"] or {}).get("outcome") == "held"):
        return "failed" if job["state"] == "failed" else "held"
    return {True: "up to date", False: "stale", None: "unknown"}[cluster["up_to_date"]]


def _tab(
    template: str, tab: str, cluster_id: str, failure: dict[str, Any] | None, **values: Any
) -> Response:
    status = failure["status"] if failure else 200
    names = {"title": cluster_id, "tab_now": tab, "cluster_id": cluster_id, "failure": failure}
    return _page(template, status, **names, **values)


def _page(template: str, status: int = 200, **values: Any) -> Response:
    return HTMLResponse(rendered(template, **values), status)
