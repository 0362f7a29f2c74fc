local alerts = import 'lib/monitoring-alerts.libsonnet';
local kap = import 'lib/kapitan.libjsonnet';
local inv = kap.inventory();
local params = inv.parameters.monitoring;

local route = {
  group_by: ['namespace', 'alertname'],
  receiver: params.channels[0],
  routes: [
    { 'continue': true, receiver: channel }
    for channel in params.channels[1:]
  ],
};

{
  '00_namespace': {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: params.namespace },
  },
  '05_kinds': {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'prometheusrules.monitoring.coreos.com' },
    spec: {
      group: 'monitoring.coreos.com',
      names: { kind: 'PrometheusRule', plural: 'prometheusrules' },
      scope: 'Namespaced',
      versions: [{
        name: 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        served: true,
        storage: true,
      }],
    },
  },
  '10_node_rules': alerts.ruleGroup(params.namespace, 'nodes', [
    alerts.alert(
      'DiskAlmostFull',
      'node_disk_used_ratio > %g' % params.nodes.disk_full_at,
      'Disk {{ $labels.device }} on {{ $labels.node }} is almost full',
      severity='critical',
      minutes=5,
    ),
    alerts.alert(
      'NodeBusy',
      'node_load5 / node_cores > %g' % params.nodes.load_per_core,
      'Node {{ $labels.node }} has had more work than cores to do it for a while, and whatever runs there will feel it',
    ),
  ]),
  '20_routing': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      annotations: { 'example.com/cluster': inv.parameters.cluster.display_name },
      name: 'alert-routing',
      namespace: params.namespace,
    },
    data: { 'routing.yaml': kap.yaml_dump({ route: route }) },
  },
}
