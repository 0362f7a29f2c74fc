package main

deny_cluster_admin contains msg if {
	input.kind == "ClusterRoleBinding"
	input.roleRef.name == "cluster-admin"
	some subject in input.subjects
	msg := sprintf("%s %s is a cluster admin", [lower(subject.kind), subject.name])
}
