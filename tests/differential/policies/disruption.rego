package catalog

import data.lib

deny_disruption contains {"msg": msg, "object": one} if {
	some one in objects
	one.kind == "Deployment"
	labels := one.spec.template.metadata.labels
	not protected(labels)
	msg := sprintf("no PodDisruptionBudget selects the pods of %s", [one.metadata.name])
}

protected(labels) if {
	some budget in objects
	budget.kind == "PodDisruptionBudget"
	every key, value in budget.spec.selector.matchLabels {
		labels[key] == value
	}
}

objects := [item.contents | some item in input]
