"""Access to a cluster: kubeconfig files, credentials, requests to the API."""
