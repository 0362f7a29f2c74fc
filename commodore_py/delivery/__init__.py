"""In which order instances are deployed, on which clusters, and the files that say so."""
