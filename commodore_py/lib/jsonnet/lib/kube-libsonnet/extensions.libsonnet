// Objects that teach the API server new kinds.

{
  local kube = self,

  CustomResourceDefinition(group, version, kind): {
    local definition = self,

    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: '%s.%s' % [definition.spec.names.plural, definition.spec.group],
    },
    spec: {
      local spec = self,

      group: group,
      scope: 'Namespaced',
      names: {
        local names = self,

        kind: kind,
        singular: kube.toLower(names.kind),
        plural: names.singular + 's',
        listKind: names.kind + 'List',
      },
      versions_:: {
        [version]: {
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object' } },
            },
          },
        },
      },
      versions: kube.mapToNamedList(spec.versions_),
    },
  },

  ThirdPartyResource(name): kube._Object('extensions/v1beta1', 'ThirdPartyResource', name) {
    versions_:: [],
    versions: [{ name: version } for version in self.versions_],
  },
}
