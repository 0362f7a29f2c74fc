// Constructors for Kubernetes objects.
//
// One mixin per subject. They refer to each other through `self`, so extending this object (to
// switch `_assert` off, for example) changes all constructors at once.
(import 'basics.libsonnet')
+ (import 'pods.libsonnet')
+ (import 'workloads.libsonnet')
+ (import 'network.libsonnet')
+ (import 'storage.libsonnet')
+ (import 'configuration.libsonnet')
+ (import 'access.libsonnet')
+ (import 'extensions.libsonnet')
