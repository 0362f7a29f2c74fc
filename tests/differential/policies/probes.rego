package main

import data.lib

warn_probes contains {"msg": sprintf("container %s has no %s", [container.name, probe])} if {
	input.kind == "Deployment"
	some container in lib.containers(input)
	some probe in {"livenessProbe", "readinessProbe"}
	not container[probe]
}
