// The application that makes Argo CD install the manifests of << cookiecutter.slug >>.
local argocd = import 'lib/argocd.libjsonnet';
local kap = import 'lib/kapitan.libjsonnet';

local inv = kap.inventory();
local params = inv.parameters.<< cookiecutter.parameter_key >>;

local app = argocd.App('<< cookiecutter.slug >>', params.namespace);

// Applications of another project than `syn` lie in a folder of that project.
local project = std.get(std.get(app, 'spec', {}), 'project', 'syn');
local folder = if project == 'syn' then 'apps' else 'apps-' + project;

{
  [folder + '/<< cookiecutter.slug >>']: app,
}
