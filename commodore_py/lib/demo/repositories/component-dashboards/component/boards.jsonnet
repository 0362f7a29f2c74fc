local kap = import 'lib/kapitan.libjsonnet';
local params = kap.inventory().parameters.dashboards;

local panel(index, spec) = {
  id: index + 1,
  targets: [{ expr: spec.query }],
  thresholds: if std.objectHas(spec, 'warn_above') then [spec.warn_above] else [],
  title: spec.title,
  type: 'timeseries',
};

local board(name, spec) = {
  panels: std.mapWithIndex(panel, spec.panels),
  refresh: params.refresh,
  title: spec.title,
  uid: name,
};

std.mapWithKey(board, params.boards)
