// The shipper's configuration as text.
function(params) |||
  [source]
  path = %(host_path)s/*.log
  tags = %(tags)s

  [output]
  url = %(target)s
  flush = %(flush_seconds)gs
||| % (params { tags: std.join(',', std.objectFields(params.labels)) })
