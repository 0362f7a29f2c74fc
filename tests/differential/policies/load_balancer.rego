package main

warn_load_balancer contains msg if {
	input.kind == "Service"
	input.spec.type == "LoadBalancer"
	ranges := object.get(input.spec, "loadBalancerSourceRanges", [])
	open := [range | some range in ranges; net.cidr_contains(range, "8.8.8.8")]
	count(open) + abs(count(ranges) - 1) > 0
	msg := sprintf("%s is open to %v", [input.metadata.name, open])
}
