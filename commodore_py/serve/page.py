"""The page for people: fleet, clusters, changes, values, plan, live tree and jobs."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qs, quote

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from commodore_py.adapters import escaping
from commodore_py.cli.output.pages import rendered
from commodore_py.cli.output.plan.drawing import drawing_of
from commodore_py.errors import CommodoreError
from commodore_py.lib import PAGE
from commodore_py.workflows.editing.requests import Request as Edit

from .api import TheDaemon, caller_of, job_of, rules_for
from .failures import as_data

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from commodore_py.workflows.editing.requests import Level

    from .access import Access
    from .daemon import Daemon
    from .state import Kind

    Failure = dict[str, Any] | None

_STATES = ("all", "up to date", "stale", "failed", "held", "unknown")
_LEVELS: dict[str, Level] = {"cluster": "cluster", "tenant": "tenant", "global": "global"}
_ASSETS = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}
_READS = {"changes": ("changes",), "plan": ("plan",), "live": ("live_tree", "")}

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@router.get("/static/{name}")
async def get_static(name: str) -> Response:
    if name not in _ASSETS:
        raise HTTPException(404, "there is no such file")
    headers = {"cache-control": "max-age=3600"}
    return FileResponse(PAGE / name, media_type=_ASSETS[name], headers=headers)


@router.get("/login")
async def show_login(request: Request, token: str = "") -> Response:
    return _begun(request, token) if token else _page("login.html", title="Log in")


@router.post("/login")
async def log_in(request: Request) -> Response:
    return _begun(request, (await _form(request)).get("token", ""))


def _begun(request: Request, token: str) -> Response:
    """Begin a session."""
    access: Access = request.app.state.access
    if name := access.name_of(token):
        response = RedirectResponse("/", 303)
        access.begin_session(response, name)
        return response
    access.failures.take(request.client.host if request.client else "")
    return _page("login.html", 401, title="Log in", failure="There is no such token.")


@router.get("/")
async def show_fleet(daemon: TheDaemon, q: str = "", state: str = "all") -> Response:
    every = [{**about, "state": _state_of(about)} for about in await daemon.clusters()]
    shown = [
        about
        for about in every
        if q.lower() in f"{about['id']} {about['display_name']} {about['tenant']}".lower()
        and state in ("all", about["state"])
    ]
    return _page(
        "fleet.html",
        title="Clusters",
        clusters=shown,
        total=len(every),
        q=q,
        state=state,
        states=_STATES,
        listing_problems={about["problem"] for about in every if about["problem"]},
    )


@router.get("/clusters/{cluster_id}")
async def show_overview(daemon: TheDaemon, cluster_id: str) -> Response:
    return await _overview(daemon, cluster_id)


async def _overview(daemon: Daemon, cluster_id: str, failure: Failure = None) -> Response:
    about = await daemon.cluster(cluster_id)
    values = {"cluster": about, "state": _state_of(about)}
    return _tab("overview.html", "Overview", cluster_id, failure, **values)


@router.post("/clusters/{cluster_id}")
async def act(request: Request, daemon: TheDaemon, cluster_id: str) -> Response:
    form, by = await _form(request), caller_of(request)
    if instance := form.get("enable") or form.get("disable"):
        edit = Edit("add" if "enable" in form else "remove", "applications", instance)
        rules = rules_for(request, form.get("base", ""))
        _, failure = await _tried(daemon.edit(cluster_id, edit, rules))
        url = f"/clusters/{quote(cluster_id)}"
    else:
        kind: Kind = "push" if form.get("do") == "push" else "compile"
        job, failure = await _tried(daemon.submit(kind, cluster_id, by, form.get("seen", "")))
        url = f"/jobs/{job.id}" if job else ""
    return await _overview(daemon, cluster_id, failure) if failure else RedirectResponse(url, 303)


@router.get("/clusters/{cluster_id}/values")
async def show_value(daemon: TheDaemon, cluster_id: str, path: str = "") -> Response:
    return await _values(daemon, cluster_id, path.strip())


@router.post("/clusters/{cluster_id}/values")
async def change_value(request: Request, daemon: TheDaemon, cluster_id: str) -> Response:
    form = await _form(request)
    if not {"path", "value", "do"} <= form.keys():
        raise HTTPException(422, "the form is not complete")
    path, text = form["path"], form["value"]
    level = _LEVELS.get(form.get("level", ""), "cluster")
    rules = rules_for(request, form.get("base", ""), dry_run=form["do"] != "save")
    edit, failure = await _tried(
        daemon.edit(cluster_id, Edit("set", path, text, level), rules, "work.edit_text")
    )
    return await _values(daemon, cluster_id, path, failure, edit=edit, text=text, level=level)


async def _values(
    daemon: Daemon, cluster_id: str, path: str, failure: Failure = None, **more: Any
) -> Response:
    """A value, its layers and its form; with a failure of an edit, if there is one."""
    value = options = None
    await daemon.listed(cluster_id)
    if path:
        value, why = await _tried(daemon.read(cluster_id, "value", path, ""))
        options, _ = await _tried(daemon.read(cluster_id, "options", path))
        failure = failure or why
    values = {
        "found": value,
        "path": path,
        "options": (options or {}).get("options"),
        "base": (value or {}).get("configuration", ""),
        **more,
    }
    return _tab("values.html", "Values", cluster_id, failure, **values)


@router.get("/clusters/{cluster_id}/{tab}")
async def show_tab(
    daemon: TheDaemon, cluster_id: str, tab: Literal["changes", "plan", "live"]
) -> Response:
    content, failure = await _tried(daemon.read(cluster_id, *_READS[tab]))
    drawing = drawing_of(content["order"]) if content and tab == "plan" else None
    values = {"content": content, "drawing": drawing}
    return _tab(f"{tab}.html", tab.title(), cluster_id, failure, **values)


@router.get("/jobs")
async def show_jobs(daemon: TheDaemon) -> Response:
    jobs = [job.as_data() for job in reversed(daemon.jobs.all.values())]
    return _page("jobs.html", title="Jobs", jobs=jobs)


@router.get("/jobs/{job_id}")
async def show_job(daemon: TheDaemon, job_id: str) -> Response:
    job = job_of(daemon, job_id)
    return _page("jobs.html", title="Job", job=job.as_data(), events=job.events)


@router.get("/api")
async def show_api(request: Request) -> Response:
    return _page("api.html", title="API", paths=request.app.openapi()["paths"])


@router.get("/metrics")
async def get_metrics(daemon: TheDaemon) -> Response:
    """Conditions, failures and jobs for Prometheus."""
    registry = CollectorRegistry()
    gauge = partial(Gauge, registry=registry)
    about_condition = "Whether a condition of a cluster is true."
    conditions = gauge("commodore_condition", about_condition, ("cluster", "type"))
    failures = gauge("commodore_failures", "Failed pushes of a cluster in a row.", ("cluster",))
    for name, about in sorted(daemon.state.clusters.items()):
        shown = escaping.one_line(name)
        failures.labels(shown).set(about.failures)
        for condition in about.conditions:
            conditions.labels(shown, condition.type).set(condition.status == "True")
    jobs = gauge("commodore_jobs", "Jobs by their states.", ("state",))
    for state, number in Counter(job.state for job in daemon.jobs.all.values()).items():
        jobs.labels(state).set(number)
    return Response(generate_latest(registry), media_type="text/plain; version=0.0.4")


def failed_page(content: dict[str, Any]) -> Response:
    """An error for people."""
    title = content["message"][:1].upper() + content["message"][1:]
    return _page("failure.html", content["status"], title=title, reasons=content["reasons"])


async def _tried(work: Awaitable[Any]) -> tuple[Any, Failure]:
    """The content of a tab, or the reason why there is none; raises for an unknown cluster."""
    try:
        return await work, None
    except CommodoreError as error:
        if error.problem_code == "clusters/unknown":
            raise
        return None, as_data(error)


async def _form(request: Request) -> dict[str, str]:
    body = (await request.body()).decode("utf-8", errors="replace")
    return {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True).items()}


def _state_of(about: dict[str, Any]) -> str:
    job = about["last_job"]
    if job and job["state"] == "failed":
        return "failed"
    if job and (job["result"] or {}).get("outcome") == "held":
        return "held"
    return {True: "up to date", False: "stale", None: "unknown"}[about["up_to_date"]]


def _tab(template: str, tab: str, cluster_id: str, failure: Failure, **values: Any) -> Response:
    status = failure["status"] if failure else 200
    names = {"title": cluster_id, "tab_now": tab, "cluster_id": cluster_id, "failure": failure}
    return _page(template, status, **names, **values)


def _page(template: str, status: int = 200, **values: Any) -> Response:
    return HTMLResponse(rendered(template, **values), status)
