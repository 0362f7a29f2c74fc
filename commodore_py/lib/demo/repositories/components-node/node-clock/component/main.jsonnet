local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.node_clock;

{
  clock: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'node-clock', namespace: 'kube-system' },
    data: { 'ntp.conf': std.lines(['server %s iburst' % server for server in params.servers]) },
  },
}
