// Everything of the kube library, functions as well as constants, as visible fields.
//
// The functions stay bound to the library itself: a field overridden here does not reach them.
local library = import 'lib/kube-libsonnet/kube.libsonnet';

{ [field]: library[field] for field in std.objectFieldsAll(library) }
+ {
  // Kept for components that set it; it never had an effect from outside.
  _commodore_show_kube_libsonnet_deprecation:: false,
}
