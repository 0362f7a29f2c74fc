package main

import data.lib

warn_limits contains msg if {
	some container in lib.containers(input)
	some resource in ["cpu", "memory"]
	not container.resources.limits[resource]
	msg := sprintf("container %s has no limit of %s", [container.name, resource])
}
