// What every constructor stands on: names, lists, quantities, and the skeleton of an object.

local thousands = ['K', 'M', 'G', 'T', 'P', 'E'];

local factors =
  { m: 0.001 }
  + { [thousands[i]]: std.pow(1000, i + 1) for i in std.range(0, 5) }
  + { [thousands[i] + 'i']: std.pow(1024, i + 1) for i in std.range(0, 5) };

{
  local kube = self,

  // `false` turns the constructors' assertions off.
  _assert:: true,

  minKubeVersion: {
    major: 1,
    minor: 19,
    version: '%d.%d' % [self.major, self.minor],
  },

  _Object(apiVersion, kind, name):: {
    apiVersion: apiVersion,
    kind: kind,
    metadata: {
      local metadata = self,

      name: name,
      // A label value cannot hold the colon that RBAC names are fond of.
      labels: { name: std.strReplace(metadata.name, ':', '-') },
      annotations: {},
    },
  },

  List(): {
    apiVersion: 'v1',
    kind: 'List',
    items_:: {},
    items: kube.objectValues(self.items_),
  },

  Namespace(name): kube._Object('v1', 'Namespace', name),

  objectValues(o):: [o[field] for field in std.objectFields(o)],

  objectItems(o):: [[field, o[field]] for field in std.objectFields(o)],

  // `fields` is a set, so sorted: of an unsorted array some fields may be missed.
  filterMapByFields(o, fields): {
    [field]: o[field]
    for field in std.setInter(fields, std.objectFields(o))
  },

  hyphenate(s):: std.strReplace(s, '_', '-'),

  toLower(s):: std.asciiLower(s),

  toUpper(s):: std.asciiUpper(s),

  boolXor(x, y):: x && !y || !x && y,

  parseOctal(s):: std.parseOctal(s),

  // The key becomes the `name`, unless the value has one of its own.
  mapToNamedList(o):: [
    { name: kube.hyphenate(field) } + o[field]
    for field in std.objectFields(o)
  ],

  siToNum(n)::
    local digits = std.rstripChars(n, 'mKMGTPEi');
    local suffix = n[std.length(digits):];
    std.parseInt(digits) * factors[suffix],
}
