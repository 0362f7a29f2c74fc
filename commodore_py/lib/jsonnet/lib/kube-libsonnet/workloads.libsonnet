// What runs pods, scales them, and guards their number.

{
  local kube = self,

  Deployment(name): kube._Object('apps/v1', 'Deployment', name) {
    local deployment = self,

    spec: {
      local spec = self,

      template: {
        metadata: {
          labels: deployment.metadata.labels,
          annotations: {},
        },
        spec: kube.PodSpec,
      },
      selector: { matchLabels: spec.template.metadata.labels },
      strategy: {
        local claims = [
          volume
          for volume in spec.template.spec.volumes
          if std.objectHas(volume, 'persistentVolumeClaim')
        ],
        // Two pods cannot hold one claim: the old one leaves before the new one comes.
        local exclusive = std.length(claims) > 0,

        type: 'RollingUpdate',
        rollingUpdate: {
          maxSurge: if exclusive then 0 else '25%',
          maxUnavailable: if exclusive then 1 else '25%',
        },
      },
      minReadySeconds: 30,
      revisionHistoryLimit: 10,
      replicas: 1,
    },
  },

  StatefulSet(name): kube._Object('apps/v1', 'StatefulSet', name) {
    local set = self,

    spec: {
      local spec = self,

      serviceName: name,
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { partition: 0 },
      },
      template: {
        metadata: {
          labels: set.metadata.labels,
          annotations: {},
        },
        spec: kube.PodSpec,
      },
      selector: { matchLabels: spec.template.metadata.labels },
      volumeClaimTemplates_:: {},
      volumeClaimTemplates: [
        std.prune(
          kube.PersistentVolumeClaim(kube.hyphenate(claim))
          + { apiVersion:: null, kind:: null }
          + spec.volumeClaimTemplates_[claim]
        )
        for claim in std.objectFields(spec.volumeClaimTemplates_)
      ],
      replicas: 1,
      assert !kube._assert || spec.replicas >= 1 : 'StatefulSet %s: replicas must be 1 or more' % name,
    },
  },

  DaemonSet(name): kube._Object('apps/v1', 'DaemonSet', name) {
    local set = self,

    spec: {
      local spec = self,

      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 1 },
      },
      template: {
        metadata: {
          labels: set.metadata.labels,
          annotations: {},
        },
        spec: kube.PodSpec,
      },
      selector: { matchLabels: spec.template.metadata.labels },
    },
  },

  JobSpec: {
    template: {
      spec: kube.PodSpec { restartPolicy: 'OnFailure' },
    },
    completions: 1,
    parallelism: 1,
  },

  Job(name): kube._Object('batch/v1', 'Job', name) {
    local job = self,

    spec: kube.JobSpec {
      template+: { metadata+: { labels: job.metadata.labels } },
    },
  },

  CronJob(name): kube._Object('batch/v1', 'CronJob', name) {
    local job = self,

    spec: {
      schedule: error 'CronJob %s: set spec.schedule' % name,
      jobTemplate: {
        spec: kube.JobSpec {
          template+: { metadata+: { labels: job.metadata.labels } },
        },
      },
      successfulJobsHistoryLimit: 10,
      failedJobsHistoryLimit: 20,
      concurrencyPolicy: 'Forbid',
    },
  },

  PodDisruptionBudget(name): kube._Object('policy/v1', 'PodDisruptionBudget', name) {
    local budget = self,

    target_pod:: error 'PodDisruptionBudget %s: set target_pod' % name,
    spec: {
      selector: { matchLabels: budget.target_pod.metadata.labels },
      assert !kube._assert
             || std.objectHas(self, 'minAvailable') != std.objectHas(self, 'maxUnavailable') :
             'PodDisruptionBudget %s: set either minAvailable or maxUnavailable' % name,
    },
  },

  CrossVersionObjectReference(target): {
    apiVersion: target.apiVersion,
    kind: target.kind,
    name: target.metadata.name,
  },

  HorizontalPodAutoscaler(name): kube._Object('autoscaling/v1', 'HorizontalPodAutoscaler', name) {
    local scaler = self,

    target:: error 'HorizontalPodAutoscaler %s: set target' % name,
    spec: {
      scaleTargetRef: kube.CrossVersionObjectReference(scaler.target),
      minReplicas: scaler.target.spec.replicas,
      maxReplicas: error 'HorizontalPodAutoscaler %s: set spec.maxReplicas' % name,
      assert !kube._assert || self.maxReplicas >= self.minReplicas :
             'HorizontalPodAutoscaler %s: maxReplicas is below minReplicas' % name,
    },
  },

  VerticalPodAutoscaler(name):: kube._Object('autoscaling.k8s.io/v1beta2', 'VerticalPodAutoscaler', name) {
    local scaler = self,

    target:: error 'VerticalPodAutoscaler %s: set target' % name,
    spec: {
      targetRef: kube.CrossVersionObjectReference(scaler.target),
      updatePolicy: { updateMode: 'Auto' },
    },
  },

  createVPAFor(target, mode='Auto'):: kube.VerticalPodAutoscaler(target.metadata.name) {
    target:: target,
    metadata+: {
      namespace: target.metadata.namespace,
      labels+: target.metadata.labels,
    },
    spec+: { updatePolicy+: { updateMode: mode } },
  },
}
