package main

import data.lib

deny_capabilities contains msg if {
	some container in lib.containers(input)
	added := {upper(name) | some name in container.securityContext.capabilities.add}
	forbidden := added - {"NET_BIND_SERVICE"}
	count(forbidden) > 0
	msg := sprintf("container %s adds %s", [container.name, concat(", ", sort(forbidden))])
}
