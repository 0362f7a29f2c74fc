"""Health, order and differences of manifests."""
