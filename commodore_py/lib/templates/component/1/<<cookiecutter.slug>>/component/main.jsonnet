// The manifests of << cookiecutter.slug >>: each field is a file below << cookiecutter.slug >>/.
local kap = import 'lib/kapitan.libjsonnet';
local kube = import 'lib/kube.libjsonnet';

local inv = kap.inventory();
// The parameters of this component, as the hierarchy has them.
local params = inv.parameters.<< cookiecutter.parameter_key >>;

{
}
