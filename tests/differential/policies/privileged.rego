package main

import data.lib

violation_privileged contains {"msg": msg, "field": field} if {
	some pod in lib.pods(input)
	some at, container in pod.containers
	container.securityContext.privileged == true
	msg := sprintf("container %s is privileged", [container.name])
	field := sprintf("containers[%d].securityContext.privileged", [at])
}
