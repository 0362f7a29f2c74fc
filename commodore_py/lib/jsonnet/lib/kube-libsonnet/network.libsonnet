// How traffic reaches pods, and which traffic may.

{
  local kube = self,

  Service(name): kube._Object('v1', 'Service', name) {
    local service = self,
    local firstPort = service.target_pod.spec.containers[0].ports[0],

    target_pod:: error 'Service %s: set target_pod' % name,
    port:: firstPort.containerPort,

    host:: '%s.%s.svc' % [service.metadata.name, service.metadata.namespace],
    host_colon_port:: '%s:%s' % [service.host, service.spec.ports[0].port],
    http_url:: 'http://%s/' % service.host_colon_port,
    proxy_urlpath:: '/api/v1/proxy/namespaces/%s/services/%s/' % [
      service.metadata.namespace,
      service.metadata.name,
    ],
    // The service as the backend of an Ingress.
    name_port:: {
      local port = service.spec.ports[0],

      service: {
        name: service.metadata.name,
        port: if std.objectHas(port, 'name') then { name: port.name } else { number: port.port },
      },
    },

    spec: {
      selector: service.target_pod.metadata.labels,
      ports: [
        {
          name: firstPort.name,
          port: service.port,
          targetPort: firstPort.containerPort,
        },
      ],
      type: 'ClusterIP',
    },
  },

  Endpoints(name): kube._Object('v1', 'Endpoints', name) {
    Ip(addr):: { ip: addr },
    Port(p):: { port: p },
    subsets: [],
  },

  Ingress(name): kube._Object('networking.k8s.io/v1', 'Ingress', name) {
    spec: {},
    assert !kube._assert || 'rules' in self.spec : 'Ingress %s: set spec.rules' % name,
    assert !kube._assert || std.all([
      std.startsWith(std.get(path, 'path', '/', inc_hidden=false), '/')
      for rule in self.spec.rules
      for path in rule.http.paths
    ]) : 'Ingress %s: paths must start with /' % name,
  },

  NetworkPolicy(name): kube._Object('networking.k8s.io/v1', 'NetworkPolicy', name) {
    spec: {
      local spec = self,

      ingress_:: {},
      ingress: kube.objectValues(spec.ingress_),
      egress_:: {},
      egress: kube.objectValues(spec.egress_),
      podSelector: {},
      policyTypes:
        (if spec.ingress != [] then ['Ingress'] else [])
        + (if spec.egress != [] then ['Egress'] else []),
    },
  },
}
