local com = import 'lib/commodore.libjsonnet';
local label = import 'label.libsonnet';
com.fixupDir(
  std.extVar('output_path'),
  function(object) if object.kind == 'B' then null else object + label
)
