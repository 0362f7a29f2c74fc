"""The order in which a catalog is applied and pruned (pure)."""
