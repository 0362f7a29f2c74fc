local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.time_sync;

{
  '00_kinds': {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'timesources.nodes.example.com' },
    spec: {
      group: 'nodes.example.com',
      names: { kind: 'TimeSource', plural: 'timesources' },
      scope: 'Cluster',
      versions: [{
        name: 'v1alpha1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        served: true,
        storage: true,
      }],
    },
  },
  'time-sync': {
    apiVersion: 'nodes.example.com/v1alpha1',
    kind: 'TimeSource',
    metadata: { name: 'default' },
    spec: { maxDriftMilliseconds: params.max_drift_ms, servers: params.servers },
  },
}
