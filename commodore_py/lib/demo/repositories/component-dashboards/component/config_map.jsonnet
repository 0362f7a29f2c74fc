local boards = import 'boards.jsonnet';
local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.dashboards;

{
  boards: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { labels: { dashboard: 'true' }, name: 'boards', namespace: params.namespace },
    data: { [name + '.json']: std.manifestJsonEx(boards[name], '  ') for name in std.objectFields(boards) },
  },
}
