"""The health of objects in a cluster, as Argo CD and kstatus judge it (pure)."""
