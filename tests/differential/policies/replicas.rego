package main

warn_replicas contains msg if {
	input.kind in {"Deployment", "StatefulSet"}
	replicas := object.get(input.spec, "replicas", 1)
	replicas < 2
	not input.metadata.annotations["example.com/single"] == "true"
	msg := sprintf("%d replicas", [replicas])
}
