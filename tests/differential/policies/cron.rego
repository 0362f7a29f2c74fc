package main

deny_cron contains msg if {
	input.kind == "CronJob"
	fields := split(trim_space(input.spec.schedule), " ")
	count(fields) != 5
	not startswith(input.spec.schedule, "@")
	msg := sprintf("%d fields: %s", [count(fields), input.spec.schedule])
}
