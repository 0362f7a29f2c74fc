package main

import data.lib

deny_no_latest contains msg if {
	some container in lib.containers(input)
	tag(container.image) in {"", "latest"}
	msg := sprintf("container %s: %q has no fixed tag", [container.name, container.image])
}

tag(image) := found if {
	not contains(image, "@")
	parts := split(image, "/")
	found := regex.find_n(`[^:]*$`, parts[count(parts) - 1], 1)[0]
	contains(parts[count(parts) - 1], ":")
} else := "" if {
	not contains(image, "@")
} else := "digest"
