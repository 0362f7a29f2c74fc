// How alert rules are written here, so that all of them carry what the on-call team needs.

local alert(name, expr, summary, severity='warning', minutes=10) = {
  alert: name,
  annotations: { summary: summary },
  expr: expr,
  'for': '%dm' % minutes,
  labels: { severity: severity },
};

local ruleGroup(namespace, name, rules) = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { labels: { role: 'alert-rules' }, name: name, namespace: namespace },
  spec: { groups: [{ name: name, rules: rules }] },
};

{
  alert: alert,
  ruleGroup: ruleGroup,
}
