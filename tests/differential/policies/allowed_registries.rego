package main

import data.lib

deny_allowed_registries contains msg if {
	some container in lib.containers(input)
	not trusted(container.image)
	msg := sprintf("image %s of container %s is not of an allowed registry", [container.image, container.name])
}

trusted(image) if {
	some registry in data.limits.registries
	startswith(image, sprintf("%s/", [registry]))
}
