package main

warn_origin contains msg if {
	input.kind == "ClusterRole"
	not data.commodore.origin.component in data.limits.with_cluster_roles
	msg := sprintf("%s %s renders a ClusterRole", [data.commodore.origin.component, data.commodore.origin.version])
}
