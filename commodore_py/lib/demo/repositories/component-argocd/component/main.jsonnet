// The project of all applications, and the application that installs the others.
local argocd = import 'lib/argocd.libjsonnet';
local kap = import 'lib/kapitan.libjsonnet';

local params = kap.inventory().parameters.argocd;

{
  '00_project': argocd.Project(params.project),
  '10_root': argocd.App('root', params.namespace, secrets=false, base='apps'),
}
