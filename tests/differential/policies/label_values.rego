package main

deny_label_values contains msg if {
	some key, value in input.metadata.labels
	not regex.match(`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`, value)
	msg := sprintf("label %s: %q", [key, value])
}
