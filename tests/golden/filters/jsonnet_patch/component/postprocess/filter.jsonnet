local file = std.extVar('output_path') + '/one.yaml';
local documents = std.native('yaml_load_all')(file);
{
  one: [
    document { metadata+: { labels+: { team: std.extVar('team') } } }
    for document in documents
  ],
  'deep/er/new': { component: std.extVar('component'), target: std.extVar('target') },
}
