package main

import data.lib

warn_environment contains msg if {
	some container in lib.containers(input)
	some variable in container.env
	regex.match(`(?i)password|token|secret`, variable.name)
	is_string(variable.value)
	msg := sprintf("%s has its value here", [variable.name])
}
