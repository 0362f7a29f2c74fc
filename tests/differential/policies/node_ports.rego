package main

deny_node_ports contains msg if {
	input.kind == "Service"
	some port in input.spec.ports
	port.nodePort
	msg := sprintf("port %v has a node port", [port.port])
}
