local load = std.native('yaml_load');
local list = std.native('list_dir');
local root = std.extVar('output_path');
{
  collected: {
    start: load(root + '/start/a.yaml'),
    made: load(root + '/out/made.yaml'),
    files: list(root + '/out', true),
    here: list(root, true),
  },
}
