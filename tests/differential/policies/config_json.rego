package main

deny_config_json contains msg if {
	input.kind == "ConfigMap"
	some key, text in input.data
	endswith(key, ".json")
	not json.is_valid(text)
	msg := sprintf("%s is not JSON", [key])
}
