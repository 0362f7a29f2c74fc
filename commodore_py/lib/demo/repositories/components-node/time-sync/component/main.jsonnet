local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.time_sync;

{
  'time-sync': {
    apiVersion: 'nodes.example.com/v1alpha1',
    kind: 'TimeSource',
    metadata: { name: 'default' },
    spec: { maxDriftMilliseconds: params.max_drift_ms, servers: params.servers },
  },
}
