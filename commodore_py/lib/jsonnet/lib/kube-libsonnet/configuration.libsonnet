// ConfigMaps and Secrets, and references to single keys of them.

{
  local kube = self,

  ConfigMap(name): kube._Object('v1', 'ConfigMap', name) {
    data: {},
    assert !kube._assert || std.all(std.map(std.isString, kube.objectValues(self.data))) :
           'ConfigMap %s: all values must be strings' % name,
  },

  ConfigMapRef(configmap, key): {
    configMapKeyRef: {
      name: configmap.metadata.name,
      key: key,
      assert !kube._assert || std.objectHas(configmap.data, key) :
             'ConfigMap %s has no key %s' % [configmap.metadata.name, key],
    },
  },

  Secret(name): kube._Object('v1', 'Secret', name) {
    local secret = self,

    type: 'Opaque',
    data_:: {},
    data: { [key]: std.base64(secret.data_[key]) for key in std.objectFields(secret.data_) },
  },

  SecretKeyRef(secret, key): {
    secretKeyRef: {
      name: secret.metadata.name,
      key: key,
      assert !kube._assert || std.objectHas(secret.data, key) :
             'Secret %s has no key %s' % [secret.metadata.name, key],
    },
  },

  SealedSecret(name): kube._Object('bitnami.com/v1alpha1', 'SealedSecret', name) {
    spec: { encryptedData: {} },
    assert !kube._assert || std.length(self.spec.encryptedData) > 0 :
           'SealedSecret %s: encryptedData is empty' % name,
  },
}
