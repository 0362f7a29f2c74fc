"""How bad a problem is."""

from __future__ import annotations

from typing import Literal

Severity = Literal["info", "warning", "error"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""
