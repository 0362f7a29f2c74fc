package main

deny_secret_references contains msg if {
	input.kind == "Secret"
	some key, value in input.stringData
	not startswith(value, "?{")
	msg := sprintf("%s is not a reference", [key])
}
