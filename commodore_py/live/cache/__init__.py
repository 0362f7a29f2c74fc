"""The content of a cluster: ids and relations of all objects."""
