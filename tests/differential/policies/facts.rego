package main

deny_facts contains msg if {
	data.commodore.facts.cloud == "none"
	input.kind == "Service"
	input.spec.type == "LoadBalancer"
	msg := sprintf("cluster %s (%s) has no load balancers", [data.commodore.cluster.name, data.commodore.version])
}
