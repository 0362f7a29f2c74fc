package main

warn_config_values contains msg if {
	input.kind == "ConfigMap"
	some key, text in input.data
	endswith(key, ".yaml")
	yaml.is_valid(text)
	walk(yaml.unmarshal(text), [path, value])
	value == "changeme"
	msg := sprintf("%s: %s", [key, concat(".", [sprintf("%v", [step]) | some step in path])])
}
