// Runs over what was compiled: labels for all objects, a priority for pods that work on nodes.
local com = import 'lib/commodore.libjsonnet';
local labels = com.inventory().parameters.logging.labels;

local withPriority = {
  spec+: { template+: { spec+: { priorityClassName: std.extVar('priority_class') } } },
};

com.fixupDir(
  std.extVar('output_path'),
  function(object)
    object { metadata+: { labels+: labels } }
    + (if object.kind == 'DaemonSet' then withPriority else {})
)
