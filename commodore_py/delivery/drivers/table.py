"""All drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import argocd, flux, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .base import Driver

DRIVERS: Mapping[str, Driver] = {"argocd": argocd, "flux": flux, "plain": plain}
