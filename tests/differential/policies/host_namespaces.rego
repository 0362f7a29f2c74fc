package main

import data.lib

deny_host_namespaces contains msg if {
	some pod in lib.pods(input)
	some key in ["hostNetwork", "hostPID", "hostIPC"]
	pod[key]
	msg := sprintf("%s is set", [key])
}
