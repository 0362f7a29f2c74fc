"""Objects validated by schemas: those of Kubernetes, and definitions in the catalog."""
