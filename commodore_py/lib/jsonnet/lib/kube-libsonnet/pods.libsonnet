// Containers, pods, and what others want to know about them.

local env(name, value) =
  if std.isObject(value) then
    { name: name, valueFrom: value }
  else
    { name: name, value: if value == null then null else std.toString(value) };

// A disabled entry of an `..._` map is set to null.
local present(map) = { [field]: map[field] for field in std.objectFields(map) if map[field] != null };

{
  local kube = self,

  Container(name): {
    local container = self,

    name: name,
    image: error 'container %s: set image' % container.name,
    imagePullPolicy: if std.endsWith(container.image, ':latest') then 'Always' else 'IfNotPresent',

    envList(map):: [env(field, map[field]) for field in std.objectFields(map)],
    env_:: {},
    env: container.envList(container.env_),

    args_:: {},
    args: ['--%s=%s' % [field, container.args_[field]] for field in std.objectFields(container.args_)],

    ports_:: {},
    ports: kube.mapToNamedList(container.ports_),

    volumeMounts_:: {},
    volumeMounts: kube.mapToNamedList(container.volumeMounts_),

    stdin: false,
    tty: false,
    assert !kube._assert || !container.tty || container.stdin :
           'container %s: tty needs stdin' % container.name,
  },

  PodSpec: {
    local pod = self,

    // Others (a Service, say) look at the first container, so it has to be a deliberate one.
    default_container::
      local names = std.objectFields(pod.containers_);
      if std.length(names) == 1 then names[0] else 'default',
    containers_:: {},
    containers:
      local first = pod.default_container;
      if std.length(std.objectFields(pod.containers_)) == 0 then []
      else kube.mapToNamedList(present({ [first]: pod.containers_[first] }))
           + kube.mapToNamedList(present(pod.containers_ { [first]:: null })),

    initContainers_:: {},
    initContainers: kube.mapToNamedList(present(pod.initContainers_)),

    volumes_:: {},
    volumes: kube.mapToNamedList(pod.volumes_),

    imagePullSecrets: [],
    terminationGracePeriodSeconds: 30,

    ports(proto):: [
      port.containerPort
      for container in pod.containers
      for port in container.ports
      if std.get(port, 'protocol', 'TCP') == proto
    ],

    assert !kube._assert || std.length(pod.containers) > 0 : 'a pod needs at least one container',
  },

  Pod(name): kube._Object('v1', 'Pod', name) {
    spec: kube.PodSpec,
  },

  podRef(obj):: {
    Pod: obj,
    Deployment: obj.spec.template,
    StatefulSet: obj.spec.template,
    DaemonSet: obj.spec.template,
    Job: obj.spec.template,
    CronJob: obj.spec.jobTemplate.spec.template,
  }[obj.kind],

  podLabelsSelector(obj, filter=null):: {
    local labels = kube.podRef(obj).metadata.labels,
    local chosen = if filter == null then labels else kube.filterMapByFields(labels, filter),

    podSelector: std.prune({ matchLabels: chosen }),
  },

  podsPorts(obj_list):: [
    { port: port, protocol: protocol }
    for protocol in ['TCP', 'UDP']
    for port in std.set(std.flatMap(
      function(obj) kube.podRef(obj).spec.ports(protocol),
      obj_list,
    ))
  ],

  FieldRef(key): {
    fieldRef: {
      apiVersion: 'v1',
      fieldPath: key,
    },
  },

  ResourceFieldRef(key, divisor='1'): {
    resourceFieldRef: {
      resource: key,
      divisor: std.toString(divisor),
    },
  },
}
