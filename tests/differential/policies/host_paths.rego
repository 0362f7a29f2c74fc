package main

import data.lib

deny_host_paths contains msg if {
	some pod in lib.pods(input)
	some volume in pod.volumes
	path := volume.hostPath.path
	not strings.any_prefix_match(path, data.limits.host_paths)
	msg := sprintf("volume %s: %s", [volume.name, path])
}
