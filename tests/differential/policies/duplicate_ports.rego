package main

import data.lib

deny_duplicate_ports contains msg if {
	some container in lib.containers(input)
	some i, j
	container.ports[i].containerPort == container.ports[j].containerPort
	i < j
	msg := sprintf("ports %d and %d of %s", [i, j, container.name])
}
