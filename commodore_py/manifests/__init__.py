"""What is known about Kubernetes objects: names, differences, and what these do (all pure)."""
