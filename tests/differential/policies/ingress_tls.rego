package main

deny_ingress_tls contains "an Ingress without TLS" if {
	input.kind == "Ingress"
	hosts := {rule.host | some rule in input.spec.rules}
	secured := {host | some host in input.spec.tls[_].hosts}
	count(hosts - secured) > 0
}
