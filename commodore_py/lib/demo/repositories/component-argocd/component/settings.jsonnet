// What the plan of a cluster needs: waves wait for Applications, but not for ever.
local kap = import 'lib/kapitan.libjsonnet';

local params = kap.inventory().parameters.argocd;

local settings(name, data) = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    labels: { 'app.kubernetes.io/part-of': 'argocd' },
    name: name,
    namespace: params.namespace,
  },
  data: data,
};

{
  '10_settings': [
    settings('argocd-cm', {
      'resource.customizations.health.argoproj.io_Application': importstr 'health.lua',
    }),
    settings('argocd-cmd-params-cm', { 'controller.sync.timeout.seconds': '1800' }),
  ],
}
