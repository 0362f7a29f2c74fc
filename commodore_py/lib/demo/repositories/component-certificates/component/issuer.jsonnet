local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.certificates;

{
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
