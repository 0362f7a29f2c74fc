package main

deny_wildcard_rules contains msg if {
	input.kind in ["Role", "ClusterRole"]
	some at
	rule := input.rules[at]
	every key in ["apiGroups", "resources", "verbs"] {
		"*" in rule[key]
	}
	msg := sprintf("rule %d allows everything", [at])
}
