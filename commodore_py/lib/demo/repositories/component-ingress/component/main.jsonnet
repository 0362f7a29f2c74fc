local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.ingress;

local labels = {
  'app.kubernetes.io/managed-by': 'commodore',
  'app.kubernetes.io/name': 'ingress',
};

local metadata(name) = { labels: labels, name: name, namespace: params.namespace };

{
  '00_namespace': {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { labels: labels, name: params.namespace },
  },
  '10_class': {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    metadata: {
      annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' },
      labels: labels,
      name: params.class_name,
    },
    spec: { controller: 'example.com/ingress' },
  },
  '20_controller': [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata('controller'),
      // A ConfigMap holds text only.
      data: std.mapWithKey(function(_, value) std.toString(value), params.settings),
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata('controller'),
      spec: {
        minAvailable: params.replicas - 1,
        selector: { matchLabels: labels },
      },
    },
  ],
  '30_network_policy': {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata('from-known-networks'),
    spec: {
      ingress: [{ from: [{ ipBlock: { cidr: cidr } } for cidr in params.allowed_sources] }],
      podSelector: {},
      policyTypes: ['Ingress'],
    },
  },
}
