"""The application: routes, and errors as responses."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from commodore_py import __version__
from commodore_py.adapters.masking import REDACTOR
from commodore_py.errors import CommodoreError

from . import api, page
from .access import Access
from .failures import as_data, failure

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.responses import Response

    from .daemon import Daemon

log = logging.getLogger(__name__)

STOP_SECONDS = 10.0


def application(daemon: Daemon) -> Access:
    """The application behind its access control."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming_up = asyncio.create_task(daemon.clusters.heads_in_time())
        reconciling = asyncio.create_task(daemon.reconciler.run())
        yield
        warming_up.cancel()
        reconciling.cancel()
        await daemon.jobs.stop(STOP_SECONDS)

    app = FastAPI(
        title="commodore",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        default_response_class=api.Json,
        lifespan=lifespan,
    )
    for kind in (CommodoreError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _failed)
    app.include_router(api.router)
    app.include_router(page.router)
    settings = daemon.settings
    app.state.daemon = daemon
    app.state.access = Access(app, tokens=settings.tokens, origins=settings.origins)
    access: Access = app.state.access
    return access


async def _failed(request: Request, error: Exception) -> Response:
    """An error for programs, or for people."""
    headers = None
    match error:
        case CommodoreError():
            content = as_data(error)
        case HTTPException():
            content = failure(error.status_code, str(error.detail).lower())
            headers = error.headers
        case RequestValidationError():
            problems = error.errors()
            status = 404 if any(problem["loc"][0] == "path" for problem in problems) else 422
            content = failure(status, "the request is invalid", map(_invalid, problems))
        case _:
            where = f"{request.method} {request.url.path}"
            log.error("%s: %s", where, type(error).__name__, exc_info=error)
            content = failure(500, "internal error")
    if request.url.path.startswith("/v1/") or "text/html" not in request.headers.get("accept", ""):
        return api.Json(REDACTOR.masked_value(content), content["status"], headers)
    return page.failed_page(content)


def _invalid(problem: Mapping[str, Any]) -> dict[str, str]:
    """A part of a request that has the wrong shape."""
    where = ".".join(map(str, problem["loc"]))
    return {"code": "request/invalid", "message": str(problem["msg"]), "where": where}
