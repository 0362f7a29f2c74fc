// Who may do what: accounts, roles, and the bindings between them.

local group = 'rbac.authorization.k8s.io';

{
  local kube = self,

  local Rules(kind, name) = kube._Object(group + '/v1', kind, name) {
    rules: [],
  },

  local Binding(kind, name) = kube._Object(group + '/v1', kind, name) {
    local binding = self,

    subjects_:: [],
    subjects: [
      {
        kind: subject.kind,
        namespace: subject.metadata.namespace,
        name: subject.metadata.name,
      }
      for subject in binding.subjects_
    ],

    roleRef_:: error '%s %s: set roleRef_' % [kind, name],
    roleRef: {
      apiGroup: group,
      kind: binding.roleRef_.kind,
      name: binding.roleRef_.metadata.name,
    },
  },

  local Subject(kind, name) = { kind: kind, name: name, apiGroup: group },

  ServiceAccount(name): kube._Object('v1', 'ServiceAccount', name),

  Role(name): Rules('Role', name),

  ClusterRole(name): Rules('ClusterRole', name),

  RoleBinding(name): Binding('RoleBinding', name),

  ClusterRoleBinding(name): Binding('ClusterRoleBinding', name),

  Group(name): Subject('Group', name),

  User(name): Subject('User', name),
}
