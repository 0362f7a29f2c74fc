package main

import data.lib

deny_memory contains msg if {
	some container in lib.containers(input)
	bytes := units.parse_bytes(container.resources.limits.memory)
	bytes > units.parse_bytes(data.limits.memory)
	msg := sprintf("container %s may take %d MiB", [container.name, floor(bytes / 1048576)])
}
