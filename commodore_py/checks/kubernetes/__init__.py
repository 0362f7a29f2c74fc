"""Kubernetes' own kinds: schemas, what servers demand beyond them, removed versions."""
