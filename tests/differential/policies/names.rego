package main

deny_names contains msg if {
	name := input.metadata.name
	some rule, pattern in {"upper case": `[A-Z]`, "underscore": `_`, "two dashes": `--`}
	regex.match(pattern, name)
	msg := sprintf("name %s: %s", [name, rule])
}
