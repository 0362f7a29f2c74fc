"""What is known about a cluster without asking it: health, order and differences of manifests."""
