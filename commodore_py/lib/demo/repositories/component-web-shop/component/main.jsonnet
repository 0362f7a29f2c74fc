local alerts = import 'lib/alerts.libsonnet';
local com = import 'lib/commodore.libjsonnet';
local inv = com.inventory();
local params = inv.parameters.web_shop;

local labels = { 'app.kubernetes.io/managed-by': 'commodore', 'app.kubernetes.io/name': 'web-shop' };
local metadata = { labels: labels, name: 'web-shop' };

local version = com.getValueOrDefault(inv.parameters.dynamic_facts, 'kubernetesVersion', { minor: '0' });

local deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata,
  spec: {
    replicas: params.replicas,
    selector: { matchLabels: labels },
    template: {
      metadata: { annotations: {}, labels: labels },
      spec: {
        containers: [
          {
            name: 'web',
            image: params.image,
            env: com.envList(params.settings { SHOP_TITLE: params.title }),
            ports: [{ containerPort: 8080, name: 'http' }],
            resources: params.resources,
            securityContext: null,
            volumeMounts: [{ mountPath: '/srv/texts', name: 'texts' }],
          },
        ],
        nodeSelector: params.node_selector,
        // Orders in progress want to be finished; our clusters before 1.31 never got the longer limit.
        terminationGracePeriodSeconds: if std.parseInt(version.minor) >= 31 then 45,
        volumes: [{ configMap: { defaultMode: 420, name: 'texts' }, name: 'texts' }],
      },
    },
  },
};

local service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadata,
  spec: { ports: [{ name: 'http', port: 80, targetPort: 'http' }], selector: labels },
};

local ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: metadata,
  spec: {
    ingressClassName: params.ingress_class,
    rules: [
      {
        host: params.host,
        http: {
          paths: [
            {
              backend: { service: { name: 'web-shop', port: { name: 'http' } } },
              path: '/',
              pathType: 'Prefix',
            },
          ],
        },
      },
    ],
    tls: [{ hosts: [params.host], secretName: 'web-shop-tls' }],
  },
};

{
  '00_namespace': { apiVersion: 'v1', kind: 'Namespace', metadata: { labels: labels, name: params.namespace } },
  '10_texts': com.namespaced(params.namespace, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'texts' },
    data: { 'opening-hours.txt': params.opening_hours, 'title.txt': params.title },
  }),
  '20_web_shop': [com.namespaced(params.namespace, object) for object in [deployment, service, ingress]],
  '30_alerts': alerts.ruleGroup(params.namespace, 'web-shop', [
    alerts.alert('ShopClosed', 'up{job="web-shop"} == 0', 'Nobody can order bread', severity='critical', minutes=2),
  ]),
}
