"""What a cluster holds: ids and relations of all objects."""
