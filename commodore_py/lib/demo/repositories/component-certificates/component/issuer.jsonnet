local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.certificates;

{
  '10_kinds': {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'clusterissuers.certs.example.com' },
    spec: {
      group: 'certs.example.com',
      names: { kind: 'ClusterIssuer', plural: 'clusterissuers' },
      scope: 'Cluster',
      versions: [{
        name: 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        served: true,
        storage: true,
      }],
    },
  },
  '20_issuer': {
    apiVersion: 'certs.example.com/v1',
    kind: 'ClusterIssuer',
    metadata: { name: 'default' },
    spec: {
      acme: { directory: params.acme_directory, email: params.contact },
      renewBefore: '720h',
    },
  },
}
