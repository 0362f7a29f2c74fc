"""Clusters and tenants: from Lieutenant's API, a folder of facts, or the last compile."""
