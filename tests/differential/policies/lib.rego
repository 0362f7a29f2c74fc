package lib

# The specifications of pods in an object.
pods(object) := [object.spec] if object.kind == "Pod"

pods(object) := [object.spec.jobTemplate.spec.template.spec] if object.kind == "CronJob"

pods(object) := [object.spec.template.spec] if object.kind in {"Deployment", "StatefulSet", "DaemonSet", "Job"}

containers(object) := [container |
	some pod in pods(object)
	some key in ["initContainers", "containers"]
	some container in pod[key]
]
