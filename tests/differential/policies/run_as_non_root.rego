package main

import data.lib

deny_run_as_non_root contains msg if {
	some pod in lib.pods(input)
	some container in pod.containers
	not object.get(container, ["securityContext", "runAsNonRoot"], object.get(pod, ["securityContext", "runAsNonRoot"], false))
	msg := sprintf("%s %s: container %s may run as root", [input.kind, input.metadata.name, container.name])
}

exception contains ["run_as_non_root"] if input.metadata.labels.legacy == "true"
