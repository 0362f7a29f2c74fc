local kap = import 'lib/kapitan.libjsonnet';
local inv = kap.inventory();
local params = inv.parameters.backup;
local instance = inv.parameters._instance;

local labels = {
  'app.kubernetes.io/instance': instance,
  'app.kubernetes.io/managed-by': 'commodore',
  'app.kubernetes.io/name': 'backup',
};

local keep = std.join(' ', [
  '--keep-%s=%d' % [period, params.keep[period]]
  for period in std.objectFields(params.keep)
]);

{
  '00_namespace': {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { labels: labels, name: params.namespace },
  },
  '10_schedule': {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { labels: labels, name: 'backup', namespace: params.namespace },
    spec: {
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        spec: {
          backoffLimit: 2,
          template: {
            metadata: { labels: labels },
            spec: {
              containers: [
                {
                  name: 'backup',
                  image: params.image,
                  args: ['--endpoint', params.endpoint, '--bucket', params.bucket] + std.split(keep, ' '),
                },
              ],
              restartPolicy: 'Never',
            },
          },
        },
      },
      schedule: params.schedule,
    },
  },
}
