"""What a cluster holds: ids and relations of all objects, kept up to date by watches."""
