package main

deny_labels contains msg if {
	missing := {label | some label in data.limits.labels} - object.keys(object.get(input.metadata, "labels", {}))
	count(missing) > 0
	msg := sprintf("labels are missing: %v", [missing])
}
