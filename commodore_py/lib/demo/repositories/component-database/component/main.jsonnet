local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.database;

local metadata(name) = { name: name, namespace: params.namespace };
local labels = { 'app.kubernetes.io/name': 'database' };

{
  '10_secrets': [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('database'),
      // References are replaced where the catalog is applied, so they must stay readable: no base64.
      stringData: {
        password: params.password,
        url: 'postgres://%(user)s:%(password)s@database/%(name)s' % params,
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('database-replication'),
      stringData: {
        'recovery.conf': |||
          primary_user = %(user)s
          primary_password = %(password)s
        ||| % params.replication,
      },
    },
  ],
  '20_database': [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('database'),
      spec: { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }], selector: labels },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata('database'),
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        serviceName: 'database',
        template: {
          metadata: { labels: labels },
          spec: {
            containers: [
              {
                name: 'database',
                image: 'registry.example.com/sql/server:16.4',
                args: std.flattenArrays([
                  ['-c', '%s=%s' % [key, params.config[key]]]
                  for key in std.objectFields(params.config)
                ]),
                volumeMounts: [{ mountPath: '/data', name: 'data' }],
              },
            ],
          },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: params.size } },
              storageClassName: params.storage_class,
            },
          },
        ],
      },
    },
  ],
}
