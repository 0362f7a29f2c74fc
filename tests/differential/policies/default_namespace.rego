package main

deny_default_namespace contains msg if {
	not input.kind in data.limits.cluster_scoped
	object.get(input.metadata, "namespace", "default") == "default"
	msg := sprintf("%s/%s is in the default namespace", [input.kind, input.metadata.name])
}
