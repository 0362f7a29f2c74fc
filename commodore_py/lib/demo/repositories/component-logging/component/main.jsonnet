local kap = import 'lib/kapitan.libjsonnet';
local shipper = import 'shipper.libsonnet';
local params = kap.inventory().parameters.logging;

local config = shipper(params);
local selector = { 'app.kubernetes.io/name': 'shipper' };

{
  '00_namespace': {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: params.namespace },
  },
  '10_config': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shipper', namespace: params.namespace },
    data: { 'shipper.conf': config },
  },
  '20_shipper': {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'shipper', namespace: params.namespace },
    spec: {
      selector: { matchLabels: selector },
      template: {
        metadata: {
          // Pods restart when their configuration changes.
          annotations: { 'example.com/config': kap.sha256(config)[0:12] },
          labels: selector,
        },
        spec: {
          containers: [
            {
              name: 'shipper',
              image: '%s/logging/shipper:0.9' % kap.inventory().parameters.platform.registry,
              volumeMounts: [
                { mountPath: params.host_path, name: 'logs', readOnly: true },
                { mountPath: '/etc/shipper', name: 'config' },
              ],
            },
          ],
          volumes: [
            { hostPath: { path: params.host_path }, name: 'logs' },
            { configMap: { name: 'shipper' }, name: 'config' },
          ],
        },
      },
      updateStrategy: { rollingUpdate: { maxUnavailable: '10%' } },
    },
  },
}
