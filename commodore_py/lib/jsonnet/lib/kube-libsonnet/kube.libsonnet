// Constructors for Kubernetes objects.
//
// One mixin per subject. They see each other through `self`, so whoever extends this object (to
// switch `_assert` off, say) changes it for all constructors at once.
(import 'basics.libsonnet')
+ (import 'pods.libsonnet')
+ (import 'workloads.libsonnet')
+ (import 'network.libsonnet')
+ (import 'storage.libsonnet')
+ (import 'configuration.libsonnet')
+ (import 'access.libsonnet')
+ (import 'extensions.libsonnet')
