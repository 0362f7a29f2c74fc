"""The page for people."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from .access import Access, token_in
from .failures import Refusal


def routes(access: Access) -> APIRouter:
    """All routes of the page."""
    page = APIRouter(include_in_schema=False)

    @page.get("/login")
    async def login(request: Request) -> Response:
        name = access.name_of(token_in(request.url.query))
        if not name:
            access.failed(request.client.host if request.client else "")
            raise Refusal(401, "a token is required")
        return RedirectResponse("/", 303, {"set-cookie": access.session(name)})

    return page
