package main

deny_ingress_hosts contains msg if {
	input.kind == "Ingress"
	some rule in input.spec.rules
	not glob.match(data.limits.hosts, ["."], rule.host)
	msg := concat(" ", ["host", rule.host, "is not of this cluster"])
}
