"""Rendered plans beside Argo CD's engine, a real API server, and simulations of syncs."""
