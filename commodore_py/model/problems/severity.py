"""How bad a problem is."""

from __future__ import annotations

from typing import Literal

Severity = Literal["info", "warning", "error", "fatal"]

SEVERITIES: tuple[Severity, ...] = ("fatal", "error", "warning", "info")
"""The worst first. An error does not keep a result from being made; what is fatal does."""
