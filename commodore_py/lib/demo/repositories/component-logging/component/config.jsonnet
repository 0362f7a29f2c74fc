local kap = import 'lib/kapitan.libjsonnet';
local shipper = import 'shipper.libsonnet';

{ 'shipper.conf': shipper(kap.inventory().parameters.logging) }
