// Volumes, claims, and the classes behind them.

{
  local kube = self,

  PersistentVolume(name): kube._Object('v1', 'PersistentVolume', name) {
    spec: {},
  },

  PersistentVolumeClaim(name): kube._Object('v1', 'PersistentVolumeClaim', name) {
    local claim = self,

    storage:: error 'PersistentVolumeClaim %s: set storage' % name,
    storageClass:: null,

    metadata+:
      if claim.storageClass == null then {}
      else { annotations+: { 'volume.beta.kubernetes.io/storage-class': claim.storageClass } },
    spec: {
      resources: { requests: { storage: claim.storage } },
      accessModes: ['ReadWriteOnce'],
      [if claim.storageClass != null then 'storageClassName']: claim.storageClass,
    },
  },

  StorageClass(name): kube._Object('storage.k8s.io/v1beta1', 'StorageClass', name) {
    provisioner: error 'StorageClass %s: set provisioner' % name,
  },

  PersistentVolumeClaimVolume(pvc): { persistentVolumeClaim: { claimName: pvc.metadata.name } },

  EmptyDirVolume(): { emptyDir: {} },

  HostPathVolume(path, type=''): { hostPath: { path: path, type: type } },

  GitRepoVolume(repository, revision): { gitRepo: { repository: repository, revision: revision } },

  SecretVolume(secret): { secret: { secretName: secret.metadata.name } },

  ConfigMapVolume(configmap): { configMap: { name: configmap.metadata.name } },
}
